import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY */
const BUSY = 5

/** Another process uses the state. */
export class StateLockedError extends Error {
  override name = 'StateLockedError'
}

/**
 * Locks the state in `folder` until the returned function is called or this process ends. The lock is SQLite's, which
 * is a file lock of the operating system, so it ends with its process. (A file with a process id would not, and another
 * process may have that id later.)
 * @throws {StateLockedError} at once when another has it.
 */
export function lockState(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const owner = join(folder, 'lock-owner')
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    // Or a journal would lie beside it after a kill.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY)) throw cause
    throw new StateLockedError(
      `.hookline/ is in use by another npm start${processName(owner)}. Stop that one first, or work in another copy of this folder.`,
      { cause },
    )
  }
  writeFileSync(owner, String(process.pid))
  return () => lock.close()
}

/** Only to help a person find it: for a moment it may not have been written yet. */
function processName(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8')})`
  } catch {
    return ''
  }
}
