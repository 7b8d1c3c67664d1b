/** A database in which `change` is made just before each batch from the `nth` to the `last`, as by another call at the same time. */
export function beforeBatch(db: D1Database, change: () => Promise<unknown>, nth = 1, last = nth): D1Database {
  let batches = 0
  const batch: D1Database['batch'] = async (statements) => {
    batches++
    if (batches >= nth && batches <= last) await change()
    return await db.batch(statements)
  }
  return new Proxy(db, {
    get(target, name) {
      if (name === 'batch') return batch
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
