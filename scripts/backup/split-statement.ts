import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/** D1's limit for one statement, in bytes (https://developers.cloudflare.com/d1/platform/limits/). */
export const MAX_STATEMENT_BYTES = 100_000

/** Characters, or bytes of a blob, that one statement adds: at most 80,000 bytes as SQL. */
const SLICE = 10_000

/** Characters, or bytes, of a value that is inserted with its row: a hundred such are below the limit. */
const SHORT = 250

/**
 * Makes of an `INSERT` of one row that is too long for D1 several statements: one that inserts the row with its long values
 * empty, and one for each part of these.
 * @param db has the tables, with no rows in that of the statement, and no triggers
 */
export function splitStatement(db: DatabaseSync, statement: string): string[] {
  const table = /^\s*INSERT INTO "?(\w+)"?/i.exec(statement)?.[1]
  if (table === undefined)
    throw new Error(`A statement of ${statement.length} characters inserts no row: ${statement.slice(0, 60)}…`)
  db.exec(statement)
  const row = db.prepare(`SELECT * FROM ${table}`).get() ?? {}
  db.exec(`DELETE FROM ${table}`)
  const keys = db.prepare(`SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`).all(table)
  const where = keys.map(({ name }) => `"${name}" = ${literal(row[String(name)] ?? null)}`).join(' AND ')
  const columns = Object.entries(row).map(([name, value]) => ({ name, ...slices(value) }))
  const names = columns.map(({ name }) => `"${name}"`).join(',')
  return [
    `INSERT INTO "${table}" (${names}) VALUES(${columns.map(({ first }) => first).join(',')});`,
    ...columns.flatMap(({ name, more, isBlob }) =>
      more.map((part) => {
        const value = isBlob ? `CAST("${name}" || ${part} AS BLOB)` : `"${name}" || ${part}`
        return `UPDATE "${table}" SET "${name}" = ${value} WHERE ${where};`
      }),
    ),
  ]
}

/** A value as SQL: what its row begins with, and what is then put behind that with `||`. */
function slices(value: SQLOutputValue): { first: string; more: string[]; isBlob: boolean } {
  const isBlob = value instanceof Uint8Array
  if ((typeof value !== 'string' && !isBlob) || value.length <= SHORT)
    return { first: literal(value), more: [], isBlob }
  // Text by its characters, so that none is cut in two.
  const units = isBlob ? value : [...value]
  const more: string[] = []
  for (let at = 0; at < units.length; at += SLICE) {
    more.push(literal(Array.isArray(units) ? units.slice(at, at + SLICE).join('') : units.subarray(at, at + SLICE)))
  }
  return { first: isBlob ? "X''" : "''", more, isBlob }
}

/** A value as SQL. */
export function literal(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  if (typeof value !== 'string') return String(value)
  // SQLite ends its text at a NUL.
  if (value.includes('\0')) return `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
  return `'${value.replaceAll("'", "''")}'`
}
