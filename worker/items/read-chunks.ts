import { chunkKey } from '../storage/items/item-objects.ts'
import { chunkLength } from './chunk-plan.ts'

/** Chunks fetched ahead while earlier ones are worked on; each is in memory whole. */
const AHEAD = 3

/** A chunk that was there when the merge began is gone. */
export class ChunkMissingError extends Error {
  override name = 'ChunkMissingError'
}

/** The bytes of an uploaded item, chunk by chunk in order, read ahead of whoever takes them. */
export async function* readChunks(
  bucket: R2Bucket,
  item: { id: string; size: number; chunkSize: number; chunks: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const fetched: Promise<Uint8Array<ArrayBuffer>>[] = []
  let next = 0
  try {
    while (next < item.chunks || fetched.length > 0) {
      while (next < item.chunks && fetched.length < AHEAD) fetched.push(readChunk(bucket, item, next++))
      const bytes = await fetched.shift()
      if (bytes) yield bytes
    }
  } finally {
    // Left early: what is still under way may fail with nobody waiting for it.
    await Promise.allSettled(fetched)
  }
}

async function readChunk(bucket: R2Bucket, item: Parameters<typeof readChunks>[1], index: number) {
  const object = await bucket.get(chunkKey(item.id, index))
  const bytes = object ? new Uint8Array(await object.arrayBuffer()) : new Uint8Array(0)
  if (bytes.length !== chunkLength(item, index)) throw new ChunkMissingError(`chunk ${index} of ${item.id}`)
  return bytes
}
