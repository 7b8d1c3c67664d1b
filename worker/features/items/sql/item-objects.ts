import { unixSeconds } from '../../../platform/clock.ts'

/** R2: the raw bytes of an upload's chunks, until merge has read them. */
export const CHUNK_PREFIX = 'chunks/'

/** R2 deletes at most 1,000 objects in a call. */
const BATCH = 1000

/** R2 key of chunk `index` of an item. */
export function chunkKey(itemId: string, index: number): string {
  return `${CHUNK_PREFIX}${itemId}/${index}`
}

/** All objects whose keys begin with a prefix, in as many calls as R2 needs. */
export async function listAll(
  bucket: R2Bucket,
  options: Pick<R2ListOptions, 'prefix' | 'include'>,
): Promise<R2Object[]> {
  const objects: R2Object[] = []
  let page: R2Objects | undefined
  do {
    page = await bucket.list(page?.truncated ? { ...options, cursor: page.cursor } : options)
    objects.push(...page.objects)
  } while (page.truncated)
  return objects
}

/** The length in bytes of each chunk that has arrived, by its index. */
export async function listChunks(bucket: R2Bucket, itemId: string): Promise<Map<number, number>> {
  const prefix = `${CHUNK_PREFIX}${itemId}/`
  const objects = await listAll(bucket, { prefix })
  return new Map(objects.map(({ key, size }) => [Number(key.slice(prefix.length)), size]))
}

/**
 * The length in bytes of the first chunks that have arrived, by item, by one call to the bucket, which lists 1,000 objects:
 * ids made together are listed together. Chunks after 1,000 others are not found, although they may have arrived.
 */
export async function listFirstChunks(bucket: R2Bucket, itemIds: readonly string[]): Promise<Map<string, number>> {
  const [first, ...others] = itemIds.toSorted()
  if (first === undefined) return new Map()
  const wanted = new Map([first, ...others].map((id) => [chunkKey(id, 0), id]))
  const { objects } = await bucket.list({ prefix: CHUNK_PREFIX, startAfter: `${CHUNK_PREFIX}${first}/` })
  return new Map(
    objects.flatMap(({ key, size }) => {
      const id = wanted.get(key)
      return id === undefined ? [] : [[id, size] as const]
    }),
  )
}

/** Deletes every chunk of an item of `chunks` chunks, those that are not there included. */
export async function deleteChunks(bucket: R2Bucket, itemId: string, chunks: number): Promise<void> {
  const keys = Array.from({ length: chunks }, (_, index) => chunkKey(itemId, index))
  await deleteObjects(bucket, keys)
}

/** Deletes objects, in as few calls as R2 allows. */
export async function deleteObjects(bucket: R2Bucket, keys: Iterable<string>): Promise<void> {
  let batch: string[] = []
  for (const key of keys) {
    batch.push(key)
    if (batch.length < BATCH) continue
    await bucket.delete(batch)
    batch = []
  }
  if (batch.length > 0) await bucket.delete(batch)
}

/** R2: the bytes of a chain item that its transactions carry, from merge until they are published. */
export const STORED_PREFIX = 'stored/'

/** R2 key of a chain item's stored bytes: Brotli, read by range by the writer. */
export function storedKey(itemId: string): string {
  return STORED_PREFIX + itemId
}

/** R2: the blocks of the files of a folder for a chain, as sections of a CAR, until its merge is done. */
export const CAR_PREFIX = 'cars/'

/** R2 key of those blocks, by the item that the folder becomes. */
export function carKey(itemId: string): string {
  return CAR_PREFIX + itemId
}

const DAY = 86_400_000

/** Objects listed in a run, of each prefix. */
const PAGE = 500

/** How far back most runs begin; the others begin at the oldest. */
const WINDOW = 30 * DAY

/**
 * R2 keys a day old or older, for a sweep: a younger object may belong to what is being made. Looks at one page from
 * a random place on, so that no place has to be remembered; `random` is from 0 to 1. Behind `prefix` the keys begin
 * with an object id, and so with a time: a page is a stretch of time.
 */
export async function listOldObjects(bucket: R2Bucket, prefix: string, now: number, random: number): Promise<string[]> {
  const since = now - random * WINDOW * 1.25
  const start = since < now - WINDOW ? '' : unixSeconds(since).toString(16)
  const { objects } = await bucket.list({ prefix, startAfter: prefix + start, limit: PAGE })
  return objects.filter(({ uploaded }) => uploaded.getTime() < now - DAY).map(({ key }) => key)
}
