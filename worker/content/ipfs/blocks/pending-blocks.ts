import type { R2Bucket } from '@cloudflare/workers-types'
import type { CID } from 'multiformats/cid'
import PQueue from 'p-queue'
import { BLOCK_PREFIX, blockName } from './block-key.ts'

/** R2 prefix of the blocks of items that are not paid; nothing here is served. */
export const PENDING_PREFIX = 'ipfs/pending/'

/** Blocks that one call moves: two R2 operations each, well below what one request may do. */
const BATCH = 200
/** Blocks in memory at a time, of at most 2 MiB each. */
const WRITES_AT_ONCE = 6

/** Where `addFile` and `addDirectory` put the blocks of an item that is not paid yet. */
export interface BlockSink {
  put(cid: CID, bytes: Uint8Array): Promise<CID>
}

/** A sink for the blocks of one item; putting a block again changes nothing. */
export function pendingBlocks(bucket: R2Bucket, itemId: string): BlockSink {
  return {
    async put(cid, bytes) {
      await bucket.put(pendingPrefix(itemId) + blockName(cid), bytes)
      return cid
    },
  }
}

/**
 * Makes blocks of a paid item readable under `/ipfs`, at most a batch a call, the root last. Call it until it says
 * `done`; it may die anywhere and be called again, by two callers at once, or after it was done.
 * @throws {Error} when the root is nowhere: the item must not become `200 OK`.
 */
export async function publishBlocks(
  bucket: R2Bucket,
  itemId: string,
  root: CID,
  batch = BATCH,
): Promise<{ done: boolean }> {
  const prefix = pendingPrefix(itemId)
  const rootKey = prefix + blockName(root)
  const { objects } = await bucket.list({ prefix, limit: Math.min(1000, batch + 1) })
  const keys = objects.map(({ key }) => key)
  const others = keys.filter((key) => key !== rootKey)
  await moveBlocks(bucket, prefix, others.length > 0 ? others : keys)
  if (others.length > 0) return { done: false }
  const published = await bucket.head(BLOCK_PREFIX + blockName(root))
  if (!published) throw new Error(`The root ${root} of item ${itemId} is neither pending nor published`)
  return { done: true }
}

/** Forgets all blocks of an item that will not be paid. */
export async function dropAllBlocks(bucket: R2Bucket, itemId: string): Promise<void> {
  for (let truncated = true; truncated; ) {
    const page = await bucket.list({ prefix: pendingPrefix(itemId), limit: 1000 })
    if (page.objects.length > 0) await bucket.delete(page.objects.map(({ key }) => key))
    truncated = page.truncated
  }
}

async function moveBlocks(bucket: R2Bucket, prefix: string, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  const copies = new PQueue({ concurrency: WRITES_AT_ONCE })
  await copies.addAll(keys.map((key) => () => copyBlock(bucket, key, BLOCK_PREFIX + key.slice(prefix.length))))
  // Only now: a copy that was not made leaves its pending block for the next call.
  await bucket.delete(keys)
}

async function copyBlock(bucket: R2Bucket, from: string, to: string): Promise<void> {
  const object = await bucket.get(from)
  // Another caller has moved it already.
  if (object) await bucket.put(to, await object.arrayBuffer())
}

function pendingPrefix(id: string): string {
  return `${PENDING_PREFIX}${id}/`
}
