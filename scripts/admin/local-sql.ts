import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AdminError, type RunSql } from './make-admin.ts'

const BUSY_MILLISECONDS = 5000

/**
 * Runs SQL on the database of `npm start` in `stateDir`, whether or not that runs: workerd opens the file in WAL mode,
 * so that another process may write to it.
 * @throws {AdminError} if there is no database
 */
export async function localSql(stateDir: string): Promise<RunSql> {
  const path = await findDatabase(stateDir)
  return (sql) => Promise.resolve(query(path, sql))
}

/** The file of the database of `npm start`. @throws {AdminError} if there is none */
export async function findDatabase(stateDir: string): Promise<string> {
  const folder = join(stateDir, 'd1', 'miniflare-D1DatabaseObject')
  const files = await readdir(folder).catch((): string[] => [])
  const found = files.map((name) => join(folder, name)).find((path) => path.endsWith('.sqlite') && hasUsers(path))
  if (found !== undefined) return found
  throw new AdminError('There is no local state yet. Run `npm start` first, or add --remote for the deployed service.')
}

function hasUsers(path: string): boolean {
  return query(path, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'users'").length > 0
}

function query(path: string, sql: string): unknown[] {
  const db = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}
