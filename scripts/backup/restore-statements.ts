import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { copyOrder } from './copy-order.ts'
import type { Filled } from './fill-database.ts'
import { FILL_SEARCH_INDEX, newDatabase, readSchema } from './schema.ts'
import { literal, MAX_STATEMENT_BYTES, splitStatement } from './split-statement.ts'

/** Rows of one statement at most. */
const MOST_ROWS = 100

/**
 * In which order the rows of a table are inserted that refers to itself: those that others refer to first, since the statements may be
 * executed in several parts.
 */
const ORDER: Record<string, string> = {
  items: 'linked_from IS NOT NULL, part_of IS NOT NULL, rowid',
  folders: `(WITH RECURSIVE up (id, depth) AS (SELECT folders.id, 0 UNION ALL
    SELECT f.parent_id, depth + 1 FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT MAX(depth) FROM up), rowid`,
}

/**
 * The statements that fill a new database whose migrations are applied, each as D1 takes it. While rows are inserted there are no
 * triggers, which would count again what the rows count already.
 */
export function* restoreStatements({ db, schema }: Pick<Filled, 'db' | 'schema'>): Generator<string> {
  for (const { name } of schema.triggers) yield `DROP TRIGGER IF EXISTS "${name}";`
  for (const table of schema.filled) yield `DELETE FROM "${table}";`
  const scratch = emptyTables()
  // A row is there before those that refer to it.
  for (const { name, key } of copyOrder(db, schema.tables).toReversed()) {
    const order = ORDER[name] ?? key.map((column) => `"${column}"`).join(', ')
    yield* insertStatements(scratch, name, db.prepare(`SELECT * FROM "${name}" ORDER BY ${order}`).iterate())
  }
  yield* FILL_SEARCH_INDEX
  for (const { sql } of schema.triggers) yield `${sql};`
}

/** What statements are cut in. */
function emptyTables(): DatabaseSync {
  const db = newDatabase()
  const { filled, triggers } = readSchema()
  db.exec('PRAGMA foreign_keys = OFF')
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`)
  for (const table of filled) db.exec(`DELETE FROM "${table}"`)
  return db
}

function* insertStatements(
  scratch: DatabaseSync,
  table: string,
  rows: Iterable<Record<string, SQLOutputValue>>,
): Generator<string> {
  let head = ''
  let values: string[] = []
  let bytes = 0
  for (const row of rows) {
    head = `INSERT INTO "${table}" (${Object.keys(row).map((name) => `"${name}"`)}) VALUES`
    const text = `(${Object.values(row).map(literal)})`
    const length = Buffer.byteLength(text) + 1
    const isLong = head.length + length + 1 > MAX_STATEMENT_BYTES
    if (
      values.length > 0 &&
      (isLong || values.length === MOST_ROWS || head.length + bytes + length + 1 > MAX_STATEMENT_BYTES)
    ) {
      yield `${head} ${values};`
      values = []
      bytes = 0
    }
    if (isLong) yield* splitStatement(scratch, `${head} ${text}`)
    else {
      values.push(text)
      bytes += length
    }
  }
  if (values.length > 0) yield `${head} ${values};`
}
