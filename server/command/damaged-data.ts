import { DatabaseSync } from 'node:sqlite'

/** Codes of SQLite: a database that may not be written, a malformed disk image, and a file that is no database. */
const [READONLY, CORRUPT, NOTADB] = [8, 11, 26]

/** A file of the data is not as SQLite wrote it. */
export class DamagedDataError extends Error {
  override name = 'DamagedDataError'

  constructor(file: string, what: string, cause?: unknown) {
    super(`${file} is damaged (${what}). Take another copy, or restore a backup.`, { cause })
  }
}

/**
 * Reads a database that nothing else has open, and changes nothing, unless a transaction with a rollback journal was cut off:
 * SQLite takes back what that has written before it reads. @throws {DamagedDataError} where SQLite finds it damaged.
 */
export function readDatabase<T>(file: string, read: (database: DatabaseSync) => T): T {
  try {
    return readOpened(file, true, read)
  } catch (error) {
    if (codeOf(error) !== READONLY) throw asDamage(file, error)
  }
  try {
    return readOpened(file, false, read)
  } catch (error) {
    throw asDamage(file, error)
  }
}

function asDamage(file: string, error: unknown): unknown {
  const code = codeOf(error)
  const what = error instanceof Error ? error.message : String(error)
  return code === CORRUPT || code === NOTADB ? new DamagedDataError(file, what, error) : error
}

function readOpened<T>(file: string, readOnly: boolean, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

/** The lowest byte of SQLite's code; the others say more. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}
