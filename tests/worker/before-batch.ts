/** A database in which `change` is made just before the `nth` batch, as by another call at the same time. */
export function beforeBatch(db: D1Database, change: () => Promise<unknown>, nth = 1): D1Database {
  let batches = 0
  const batch: D1Database['batch'] = async (statements) => {
    if (++batches === nth) await change()
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
