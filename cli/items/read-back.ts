import { createHash } from 'node:crypto'
import { readRange } from '../../client/folder/local-source.ts'

/** What happened to a local file. */
export type LocalChange = 'changed' | 'removed' | 'unreadable'

/** Stored bytes that were read back. */
export interface ReadBack {
  /** In lowercase hex. */
  sha256: string
  /** How the local file differs from them; `undefined` if it does not. */
  change: LocalChange | undefined
}

const PIECE = 1 << 20

/** Hashes stored bytes, and compares them with the file at `path` as it is now. */
export async function readBack(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): Promise<ReadBack> {
  const hash = createHash('sha256')
  let change: LocalChange | undefined
  let position = 0
  for await (const piece of pieces) {
    hash.update(piece)
    for (let start = 0; start < piece.length; start += PIECE) {
      const part = piece.subarray(start, start + PIECE)
      change ??= await changeOf(path, position, part)
      position += part.length
    }
  }
  return { sha256: hash.digest('hex'), change: change ?? (await changeOf(path, position, undefined)) }
}

/** How a file differs from bytes at a position; without bytes, whether it goes on there, or is gone. */
async function changeOf(path: string, position: number, bytes: Uint8Array | undefined) {
  try {
    const here = await readRange(path, position, bytes?.length ?? 1)
    return Buffer.compare(here, bytes ?? new Uint8Array()) === 0 ? undefined : 'changed'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'removed' : 'unreadable'
  }
}
