/** The same database, with a count of the rows that its engine read and wrote, those of indexes too. */
export function countRows(db: D1Database): { db: D1Database; rows(): { read: number; written: number } } {
  const rows = { read: 0, written: 0 }
  const wrapped = new WeakMap<object, D1PreparedStatement>()
  const noted = <T>(result: D1Result<T>): D1Result<T> => {
    rows.read += result.meta.rows_read
    rows.written += result.meta.rows_written
    return result
  }
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const counting = new Proxy(statement, {
      get(target, key) {
        if (key === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        if (key === 'first') return async () => noted(await target.all()).results[0] ?? null
        return async () => noted(await target.all())
      },
    })
    wrapped.set(counting, statement)
    return counting
  }
  const counting = new Proxy(db, {
    get(target, key) {
      if (key === 'prepare') return (sql: string) => wrap(target.prepare(sql))
      return async (statements: D1PreparedStatement[]) =>
        (await target.batch(statements.map((statement) => wrapped.get(statement) ?? statement))).map(noted)
    },
  })
  return { db: counting, rows: () => ({ ...rows }) }
}
