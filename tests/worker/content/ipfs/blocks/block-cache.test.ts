import { env } from 'cloudflare:test'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { objectId } from '../../../../../protocol/object-id.ts'
import { BLOCK_PREFIX, blockName, CACHED_BLOCK_PREFIX } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { openBlockStore } from '../../../../../worker/content/ipfs/blocks/block-store.ts'
import { openBudget } from '../../../../../worker/content/ipfs/blocks/open-blocks.ts'
import { pendingBlocks, publishBlocks } from '../../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { sweepIpfsCache } from '../../../../../worker/content/ipfs/blocks/sweep-ipfs-cache.ts'
import { randomBytes } from '../dag-fixture.ts'

const DAY = 86_400_000
let bytes: Uint8Array<ArrayBuffer>
let cid: CID
const cached = () => env.BUCKET.head(CACHED_BLOCK_PREFIX + blockName(cid))
const stored = () => env.BUCKET.head(BLOCK_PREFIX + blockName(cid))

/** Reads the block as a request does, and waits for what the request leaves to be done. */
async function read(options: { admitted?: boolean; gateways?: string[] } = {}): Promise<Uint8Array> {
  const left: Promise<unknown>[] = []
  const { admitted = true, gateways = ['http://gateway'] } = options
  const source = openBlockStore({
    bucket: env.BUCKET,
    gateways,
    fetch: async () => new Response(bytes),
    admit: async () => admitted,
    waitUntil: (promise) => void left.push(promise),
    budget: openBudget({ maxWork: 100, maxResponseBytes: 1 << 30 }),
  })
  const block = await source.get(cid)
  await Promise.all(left)
  return block
}

beforeEach(async () => {
  // More than the edge cache takes: R2 is what is looked at.
  bytes = randomBytes(300_000)
  cid = CID.createV1(0x55, await sha256.digest(bytes))
})

describe('a block from a gateway', () => {
  it('is kept in the cache, apart from the blocks of items, and read from there', async () => {
    await read()
    expect([await cached(), await stored()]).toEqual([expect.anything(), null])
    expect(await read({ gateways: [] })).toEqual(bytes)
  })

  it('is served and not kept when the cache has no room left', async () => {
    expect(await read({ admitted: false })).toEqual(bytes)
    expect([await cached(), await stored()]).toEqual([null, null])
  })

  it('goes with its age, and one of an item never', async () => {
    await read()
    await env.BUCKET.put(BLOCK_PREFIX + blockName(cid), bytes)
    await sweepIpfsCache(env, Date.now() + 29 * DAY)
    expect(await cached()).not.toBeNull()
    await sweepIpfsCache(env, Date.now() + 31 * DAY)
    expect([await cached(), await stored()]).toEqual([null, expect.anything()])
  })

  it('that was altered in the cache is not believed', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await env.BUCKET.put(CACHED_BLOCK_PREFIX + blockName(cid), randomBytes(300_000))
    expect(await read()).toEqual(bytes)
    expect(await read({ gateways: [] })).toEqual(bytes)
  })
})

describe('an item of which the cache has a block', () => {
  it('has its own copy when it is published', async () => {
    await read()
    const item = objectId(Date.now())
    await pendingBlocks(env.BUCKET, item).put(cid, bytes)
    while (!(await publishBlocks(env.BUCKET, item, cid)).done);
    expect(await stored()).not.toBeNull()
  })

  it('is not published while only the cache has its root', async () => {
    await read()
    await expect(publishBlocks(env.BUCKET, objectId(Date.now()), cid)).rejects.toThrow('neither pending nor published')
  })
})
