import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { foreignKeys } from './copy-order.ts'
import { CopyError, type Open, openPartFolder } from './part-folder.ts'
import { newDatabase, readSchema, type Schema } from './schema.ts'
import { partName, readState } from './take-copy.ts'

/** A database that is filled, without triggers and indexes, and what of those it lacks. */
export interface Filled {
  db: DatabaseSync
  schema: Schema
  /** How many rows were not taken, by their tables: another row has the same key. */
  refused: Map<string, number>
  /** When the copy was begun, milliseconds. */
  at: number
}

/**
 * Makes a database of the tables of a copy, in a file that does not exist yet: without foreign keys, triggers and indexes, until what
 * rows of several moments contradict each other in is repaired.
 * @throws {CopyError}
 */
export async function fillDatabase(folder: string, path: string, open: Open | undefined): Promise<Filled> {
  const state = await readState(folder)
  if (!state) throw new CopyError(`${folder} has no copy: name the folder that has copy.json in it.`)
  if (state.finishedAt === undefined)
    throw new CopyError(`The copy in ${folder} is not whole. Run \`npm run backup\` again.`)
  const parts = await openPartFolder(folder)
  const schema = readSchema()
  const db = newDatabase(path)
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF')
  for (const { name } of schema.triggers) db.exec(`DROP TRIGGER "${name}"`)
  for (const { name } of schema.indexes) db.exec(`DROP INDEX "${name}"`)
  for (const table of schema.filled) db.exec(`DELETE FROM "${table}"`)
  const refused = new Map<string, number>()
  for (const [table, { pages }] of Object.entries(state.tables)) {
    if (!schema.tables.includes(table))
      throw new CopyError(
        `The copy has a table "${table}", which this version does not have. Restore it with the version that it is of.`,
      )
    for (let page = 1; page <= pages; page++) {
      const lines = await text(await parts.read(partName(table, page, state.suffix), open))
      const left = insertRows(db, table, lines.trimEnd().split('\n'))
      if (left > 0) refused.set(table, (refused.get(table) ?? 0) + left)
    }
  }
  return { db, schema, refused, at: state.startedAt }
}

/** Returns how many rows were not taken. */
function insertRows(db: DatabaseSync, table: string, [head = '[]', ...lines]: string[]): number {
  const names: string[] = JSON.parse(head)
  const blobs = new Set(
    db
      .prepare(`SELECT name FROM pragma_table_info(?) WHERE type = 'BLOB'`)
      .all(table)
      .map(({ name }) => String(name)),
  )
  const insert = db.prepare(
    `INSERT OR IGNORE INTO "${table}" (${names.map((name) => `"${name}"`)}) VALUES (${names.map(() => '?')})`,
  )
  let taken = 0
  db.exec('BEGIN')
  for (const line of lines) {
    const row: SQLInputValue[] = JSON.parse(line)
    const values = row.map((value, index) =>
      typeof value === 'string' && blobs.has(names[index] ?? '') ? Buffer.from(value, 'hex') : value,
    )
    taken += Number(insert.run(...values).changes)
  }
  db.exec('COMMIT')
  return lines.length - taken
}

/** Rows that were deleted because what they refer to is not there. */
export interface Dangling {
  table: string
  parent: string
  /** Each as JSON. */
  rows: string[]
}

/** Deletes the rows that refer to rows that are not there, and those that refer to them. */
export function deleteDangling({ db, schema }: Pick<Filled, 'db' | 'schema'>): Dangling[] {
  const found: Dangling[] = []
  for (let changed = true; changed; ) {
    changed = false
    for (const table of schema.tables) {
      for (const { parent, columns } of foreignKeys(db, table)) {
        const set = columns.map(([own]) => `"${own}" IS NOT NULL`).join(' AND ')
        const match = columns.map(([own, theirs]) => `p."${theirs}" = "${table}"."${own}"`).join(' AND ')
        const rows = db
          .prepare(
            `DELETE FROM "${table}" WHERE ${set} AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE ${match}) RETURNING *`,
          )
          .all()
        if (rows.length === 0) continue
        changed = true
        found.push({ table, parent, rows: rows.map((row) => JSON.stringify(row)) })
      }
    }
  }
  return found
}
