import { open, rename, rm } from 'node:fs/promises'

/** Bytes in order. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Writes verified pieces to `<path>.part` from `offset` on and renames it after the last one, so that a file with the
 * final name is always complete. A partial file contains verified bytes only, and a later run resumes it. Returns the
 * size.
 */
export async function writeVerified(path: string, offset: number, pieces: Pieces): Promise<number> {
  const part = partOf(path)
  const file = await open(part, offset > 0 ? 'r+' : 'w')
  let position = offset
  try {
    // Bytes after the offset in an older partial file were not verified.
    await file.truncate(offset)
    for await (const piece of pieces) {
      let written = 0
      while (written < piece.length) {
        const { bytesWritten } = await file.write(piece, written, piece.length - written, position + written)
        written += bytesWritten
      }
      position += piece.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  return position
}

export const partOf = (path: string): string => `${path}.part`

/** Removes the partial file when the complete one turned out to exist. */
export async function removePart(path: string): Promise<void> {
  await rm(partOf(path), { force: true })
}
