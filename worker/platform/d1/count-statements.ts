/** The same database, and a count of the statements prepared with it: D1 allows an invocation some 1,000. */
export function countStatements(db: D1Database): { db: D1Database; count(): number } {
  let count = 0
  const counting = new Proxy(db, {
    get(target, key) {
      if (key !== 'prepare') return Reflect.get(target, key).bind(target)
      return (sql: string) => {
        count++
        return target.prepare(sql)
      }
    },
  })
  return { db: counting, count: () => count }
}
