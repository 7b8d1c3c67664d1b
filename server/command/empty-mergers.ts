import { closeSync, existsSync, opendirSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A database of one page (https://www.sqlite.org/fileformat.html, 1.3 and 1.6). */
const PAGE_BYTES = 4096
/** Where the first page has the kind of its tree and the number of its cells, which are tables and indexes. */
const TREE = 100
const LEAF = 0x0d
/** Of one start. */
const MOST_REMOVED = 100_000

/**
 * Removes the files of mergers whose merge is done: each has deleted all that it kept, and workerd leaves its file. Nothing else
 * may have them open. Returns how many.
 */
export function removeEmptyMergers(folder: string): number {
  let removed = 0
  const entries = opendirSync(folder)
  try {
    for (let entry = entries.readSync(); entry !== null && removed < MOST_REMOVED; entry = entries.readSync()) {
      const file = join(folder, entry.name)
      if (!/^[\da-f]{64}\.sqlite$/.test(entry.name) || !isEmptyDatabase(file)) continue
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
      removed++
    }
  } finally {
    entries.closeSync()
  }
  return removed
}

/** Whether a database has no table, and no log whose transactions may have made one. */
function isEmptyDatabase(file: string): boolean {
  const log = `${file}-wal`
  if (existsSync(log) && statSync(log).size > 0) return false
  const { size } = statSync(file)
  if (size === 0) return true
  if (size !== PAGE_BYTES) return false
  const page = Buffer.alloc(PAGE_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    if (readSync(descriptor, page, 0, PAGE_BYTES, 0) !== PAGE_BYTES) return false
  } finally {
    closeSync(descriptor)
  }
  return (
    page.toString('latin1', 0, 16) === 'SQLite format 3\0' && page[TREE] === LEAF && page.readUInt16BE(TREE + 3) === 0
  )
}
