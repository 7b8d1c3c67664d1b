import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY */
const BUSY = 5

/** Another process works with the state. */
export class StateLockedError extends Error {
  override name = 'StateLockedError'
}

/**
 * Keeps every other process from working with the state in `folder`, until the function given back is called or this
 * process ends, however it does: the lock is SQLite's, which is the operating system's on a file, and none outlives
 * its process. (A file with a process id in it would, and the id may be another's by then.)
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
