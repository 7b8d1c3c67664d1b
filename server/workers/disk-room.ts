/** What is written to see whether there is room again, in bytes: as much as a row of the bucket has. */
const TRIED_BYTES = 1 << 20
const TRIED = 'http://disk/room'

/** Of this Worker and not of an object: a commit that fails ends its object. */
let wasFull = false

/** Notes an error where it is SQLite's of a full disk. */
export function noteFailure(error: unknown): void {
  if (String(error).includes('SQLITE_FULL')) wasFull = true
}

/** Whether a write of this Worker found the disk full, and none was seen since that has room. */
export function isNotedFull(): boolean {
  return wasFull
}

/**
 * The same, after another try where it was full: a MiB is written to a file of its own and removed. SQLite would do for
 * that only where its own files have no room inside.
 */
export async function isDiskFull(disk: Fetcher): Promise<boolean> {
  if (!wasFull) return false
  try {
    const tried = await disk.fetch(TRIED, { method: 'PUT', body: new Uint8Array(TRIED_BYTES) })
    await tried.body?.cancel()
    if (tried.ok) wasFull = false
  } catch (error) {
    console.error('disk_full', error)
  }
  const emptied = await disk.fetch(TRIED, { method: 'PUT', body: new Uint8Array() }).catch(() => undefined)
  await emptied?.body?.cancel()
  return wasFull
}
