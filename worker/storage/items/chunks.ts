/** R2: the raw bytes of an upload's chunks, until merge has read them. */
export const CHUNK_PREFIX = 'chunks/'

/** R2 deletes at most 1,000 objects in a call. */
const BATCH = 1000

/** R2 key of chunk `index` of an item. */
export function chunkKey(itemId: string, index: number): string {
  return `${CHUNK_PREFIX}${itemId}/${index}`
}

/** The length in bytes of each chunk that has arrived, by its index. */
export async function listChunks(bucket: R2Bucket, itemId: string): Promise<Map<number, number>> {
  const prefix = `${CHUNK_PREFIX}${itemId}/`
  const lengths = new Map<number, number>()
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) })
    for (const object of page.objects) lengths.set(Number(object.key.slice(prefix.length)), object.size)
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return lengths
}

/** Deletes every chunk of an item of `chunks` chunks, those that are not there included. */
export async function deleteChunks(bucket: R2Bucket, itemId: string, chunks: number): Promise<void> {
  for (let start = 0; start < chunks; start += BATCH) {
    const length = Math.min(BATCH, chunks - start)
    await bucket.delete(Array.from({ length }, (_, offset) => chunkKey(itemId, start + offset)))
  }
}
