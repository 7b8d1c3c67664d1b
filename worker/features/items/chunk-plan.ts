/** Bytes of a chunk; the last one of an item may be shorter. */
export const CHUNK_SIZE = 1024 * 1024

/** How an upload is cut into chunks; sizes in bytes. */
export interface ChunkPlan {
  size: number
  chunkSize: number
  chunks: number
}

/** How an item of `size` bytes is uploaded. A small item is one chunk of its own size, one of 0 bytes no chunk. */
export function planChunks(size: number): Omit<ChunkPlan, 'size'> {
  const chunkSize = Math.min(size, CHUNK_SIZE) || CHUNK_SIZE
  return { chunkSize, chunks: Math.ceil(size / chunkSize) }
}

/** The exact number of bytes of chunk `index`; `undefined` when the item has no such chunk. */
export function chunkLength(item: ChunkPlan, index: number) {
  if (!Number.isInteger(index) || index < 0 || index >= item.chunks) return undefined
  return Math.min(item.chunkSize, item.size - index * item.chunkSize)
}
