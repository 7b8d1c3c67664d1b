import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readDatabase } from './damaged-data.ts'

/** What the folder holds was made by a newer version, or by one before 1.0.0. */
export class OtherVersionError extends Error {
  override name = 'OtherVersionError'
}

const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations
(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`

/**
 * Applies the migrations of `folder` that the database lacks, each in one transaction, while nothing else has it open.
 * `older`: the database may know migrations that this version does not. Returns the names of those that were applied.
 * @throws {OtherVersionError} {@link DamagedDataError} and nothing is changed.
 */
export function migrateDatabase(file: string, folder: string, older = false): string[] {
  const known = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const applied = existsSync(file) ? readDatabase(file, appliedTo) : []
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length > 0 && !older) {
    throw new OtherVersionError(
      `The data was made by a newer version (${unknown.join(', ')}). Run that version, or this one with --older.`,
    )
  }
  const missing = known.filter((name) => !applied.includes(name))
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    if (missing.length > 0) database.exec(TABLE)
    for (const name of missing) {
      database.exec(`BEGIN; ${readFileSync(join(folder, name), 'utf8')}`)
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name)
      database.exec('COMMIT')
    }
    return missing
  } finally {
    database.close()
  }
}

function appliedTo(database: DatabaseSync): string[] {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get()
  if (!table) return []
  return database
    .prepare('SELECT name FROM d1_migrations')
    .all()
    .map(({ name }) => String(name))
}
