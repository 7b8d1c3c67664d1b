import { type ChunkPlan, chunkLength } from '../chunk-plan.ts'
import { type HeldChunk, listHeldChunks, readTail } from '../sql/upload-objects.ts'

/** What is held of an upload from its beginning without a gap: whole chunks, and of the next one perhaps a tail. */
export interface HeldBytes {
  /** At which the upload continues, in bytes. */
  offset: number
  /** Of the chunk that is not whole. */
  index: number
  tail: Uint8Array
  /** The tail's object as it is, of use or not: what replaces it replaces nothing newer. */
  tailEtag: string | undefined
  chunks: ReadonlyMap<number, HeldChunk>
}

/** Where an upload continues, by its objects in the bucket. A tail of another chunk than the first missing one is old. */
export function findOffset(
  plan: ChunkPlan,
  chunks: ReadonlyMap<number, Pick<HeldChunk, 'length'>>,
  tail: { index: number; length: number } | undefined,
): { index: number; tailLength: number; offset: number } {
  let index = 0
  while (index < plan.chunks && chunks.get(index)?.length === chunkLength(plan, index)) index++
  const most = chunkLength(plan, index) ?? 0
  const tailLength = tail?.index === index && tail.length < most ? tail.length : 0
  return { index, tailLength, offset: Math.min(plan.size, index * plan.chunkSize) + tailLength }
}

/** What the bucket has of an upload. */
export async function readHeldBytes(bucket: R2Bucket, item: ChunkPlan & { id: string }): Promise<HeldBytes> {
  const [chunks, tail] = await Promise.all([listHeldChunks(bucket, item.id), readTail(bucket, item.id)])
  const { index, tailLength, offset } = findOffset(
    item,
    chunks,
    tail && { index: tail.index, length: tail.bytes.length },
  )
  const bytes = tail && tailLength > 0 ? tail.bytes : new Uint8Array(0)
  return { offset, index, tail: bytes, tailEtag: tail?.etag, chunks }
}
