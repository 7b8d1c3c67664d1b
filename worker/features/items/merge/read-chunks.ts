import { readAhead } from '../../../../reader/read-ahead.ts'
import { type ChunkPlan, chunkLength } from '../chunk-plan.ts'
import { chunkKey } from '../sql/item-objects.ts'

/** Chunks fetched ahead while earlier ones are worked on; each is in memory whole. */
const CHUNKS_AHEAD = 3

/** An upload, as its chunks are planned. */
export type ChunkedItem = ChunkPlan & { id: string }

/** A chunk that was there when the merge began is gone. */
export class ChunkMissingError extends Error {
  override name = 'ChunkMissingError'
}

/** The bytes of an uploaded item, chunk by chunk in order; later chunks are fetched ahead. */
export function readChunks(bucket: R2Bucket, item: ChunkedItem): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return readAhead(Array(item.chunks).keys(), CHUNKS_AHEAD, (index) => readChunk(bucket, item, index))
}

async function readChunk(bucket: R2Bucket, item: ChunkedItem, index: number) {
  const object = await bucket.get(chunkKey(item.id, index))
  const bytes = object ? new Uint8Array(await object.arrayBuffer()) : new Uint8Array(0)
  if (bytes.length !== chunkLength(item, index)) throw new ChunkMissingError(`chunk ${index} of ${item.id}`)
  return bytes
}
