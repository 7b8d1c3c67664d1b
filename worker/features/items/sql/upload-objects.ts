import { CHUNK_PREFIX, chunkKey, listAll } from './item-objects.ts'

/** R2: of an upload, the bytes of a chunk that is not whole yet; which one says its `index`. */
export const TAIL_PREFIX = 'tails/'

/** R2 key of the tail of an upload. */
export function tailKey(itemId: string): string {
  return TAIL_PREFIX + itemId
}

/** A chunk as it is in the bucket; `length` in bytes. */
export interface HeldChunk {
  length: number
  etag: string
  /** Lowercase hex. */
  sha256: string
}

/** The chunks of an upload that have arrived, with what is recorded of each, by index. */
export async function listHeldChunks(bucket: R2Bucket, itemId: string): Promise<Map<number, HeldChunk>> {
  const prefix = `${CHUNK_PREFIX}${itemId}/`
  const objects = await listAll(bucket, { prefix, include: ['customMetadata'] })
  return new Map(
    objects.map(({ key, size, etag, customMetadata }) => [
      Number(key.slice(prefix.length)),
      { length: size, etag, sha256: customMetadata?.sha256 ?? '' },
    ]),
  )
}

/** What is stored as one chunk of an upload. */
export async function statChunk(bucket: R2Bucket, itemId: string, index: number): Promise<HeldChunk | undefined> {
  const object = await bucket.head(chunkKey(itemId, index))
  return object ? { length: object.size, etag: object.etag, sha256: object.customMetadata?.sha256 ?? '' } : undefined
}

/** A tail as it was stored. */
export interface HeldTail {
  index: number
  bytes: Uint8Array
  etag: string
}

export async function readTail(bucket: R2Bucket, itemId: string): Promise<HeldTail | undefined> {
  const object = await bucket.get(tailKey(itemId))
  if (!object) return undefined
  const index = Number(object.customMetadata?.index)
  return { index, bytes: new Uint8Array(await object.arrayBuffer()), etag: object.etag }
}

/** Which chunk the tail is of, and how many bytes it has. */
export async function statTail(
  bucket: R2Bucket,
  itemId: string,
): Promise<{ index: number; length: number } | undefined> {
  const object = await bucket.head(tailKey(itemId))
  return object ? { index: Number(object.customMetadata?.index), length: object.size } : undefined
}

/**
 * Stores a whole chunk with its SHA-256 (lowercase hex), in place of the object with the etag `before`, of none, or of
 * any. False, and nothing changed, when there is another object by now.
 */
export async function putChunk(
  bucket: R2Bucket,
  itemId: string,
  chunk: { index: number; bytes: Uint8Array; sha256: string },
  before: string | 'any' | undefined,
): Promise<boolean> {
  const condition = before === 'any' ? {} : { onlyIf: unchanged(before) }
  const options = { ...condition, customMetadata: { sha256: chunk.sha256 } }
  return (await bucket.put(chunkKey(itemId, chunk.index), chunk.bytes, options)) !== null
}

/** Stores the bytes of a chunk that is not whole, as {@link putChunk} does. */
export async function putTail(
  bucket: R2Bucket,
  itemId: string,
  tail: { index: number; bytes: Uint8Array },
  before: string | undefined,
): Promise<boolean> {
  const options = { onlyIf: unchanged(before), customMetadata: { index: String(tail.index) } }
  return (await bucket.put(tailKey(itemId), tail.bytes, options)) !== null
}

function unchanged(etag: string | undefined): Headers {
  return new Headers(etag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${etag}"` })
}
