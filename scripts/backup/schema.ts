import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { listMigrations, MIGRATIONS } from '../migrations.ts'

/** Made of `items`: a full-text index cannot be exported, so both are made again. */
const SEARCH_INDEX = /^item_(words|numbers)/

/** Fills the search index with the words of the items that are to be found. */
export const FILL_SEARCH_INDEX = [
  'INSERT INTO item_numbers (item_id) SELECT item_id FROM wanted_words JOIN items ON id = item_id ORDER BY created_at, id;',
  'INSERT INTO item_words (rowid, words) SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id);',
]

/** What the migrations make of an empty database. */
export interface Schema {
  /** The tables that a copy of the database needs. */
  tables: string[]
  /** Those of them that have rows from the start. */
  filled: string[]
  triggers: { name: string; sql: string }[]
  /** Without those that a table makes of its keys. */
  indexes: { name: string; sql: string }[]
}

/** A database after all migrations, as an installation has it: in memory, or in a file that does not exist yet. */
export function newDatabase(path = ':memory:'): DatabaseSync {
  const db = new DatabaseSync(path)
  for (const file of listMigrations()) db.exec(readFileSync(join(MIGRATIONS, file), 'utf8'))
  return db
}

export function readSchema(): Schema {
  const db = newDatabase()
  const made = db.prepare('SELECT name, type, sql FROM sqlite_schema ORDER BY rowid').all()
  const named = (kind: string) =>
    made.flatMap(({ name, type, sql }) => (type === kind ? [{ name: String(name), sql: String(sql) }] : []))
  const tables = named('table')
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_') && !SEARCH_INDEX.test(name))
  const filled = tables.filter((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get())
  const indexes = named('index').filter(({ name }) => !name.startsWith('sqlite_'))
  return { tables, filled, triggers: named('trigger'), indexes }
}
