import type { R2Bucket } from '@cloudflare/workers-types'
import type { CID } from 'multiformats/cid'
import PQueue from 'p-queue'
import { canonicalCid } from '../../../../protocol/cid.ts'
import { ReadAheadPermits } from '../../../../reader/read-ahead.ts'
import type { Budget } from '../../../platform/flow/budget.ts'
import { freeMemoryOf, type MemoryShare, memoryOf, type TakeMemory } from '../../../platform/flow/memory-budget.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { CacheTier } from '../../../platform/http/server-timing.ts'
import { blockKey, blockName } from './block-key.ts'
import { cacheBlockAtEdge, edgeBlock, fitsEdgeCache } from './edge-blocks.ts'
import { fetchBlock, type GatewayPool } from './fetch-block.ts'
import { readStored, type StoredBlock, storeBlock } from './stored-blocks.ts'
import { blockWork, inlineBlock, MAX_BLOCK_BYTES, verifyBlock } from './verify-block.ts'

/** The most blocks of an answer that may be cached: each is checked against the denylist. */
const MAX_GIVEN = 1000

/** Copies to R2 that may be under way at once: they hold their blocks in memory. */
const MAX_COPIES = 4

/** Blocks that one request reads ahead, which bounds its memory. */
const MAX_AHEAD = 4

/** Verified blocks: a root is read for the path, again for an index, and by later requests. */
const held = new MemoryCache<Uint8Array>(MAX_BLOCK_BYTES)

/** A source of blocks; every block that it returns was checked against its CID. */
export interface BlockSource {
  /** The farthest that a block had to be fetched from so far (`Server-Timing`). */
  readonly tier: CacheTier
  /**
   * The CIDs returned so far, each once, for a cache of the answer; `undefined` if they are too many to check against the
   * denylist.
   */
  readonly given: readonly CID[] | undefined
  /** Blocks that may be requested before their turn, over all levels of a walk: each is held until then. */
  readonly ahead: ReadAheadPermits
  /** Reserves memory for the part of a large file that is read at a time. */
  readonly take: TakeMemory
  /** The work of the request, of which every block is counted. */
  readonly budget: Budget
  /** @throws {AppError} 400 for a CID that cannot be checked, 404, 412, 422 and 503 of the budget, 451, 502, 504. */
  get(cid: CID): Promise<Uint8Array>
  /** {@link get} for what its caller reads once, and frees: it is not stored in memory for others. */
  getOnce(cid: CID): Promise<Uint8Array>
  /** Frees the memory of a block of {@link getOnce}, if nothing else uses it; its bytes can't be read after it. */
  free(block: Uint8Array): void
}

export interface BlockStoreOptions {
  bucket: R2Bucket
  gateways: readonly string[]
  /** Only what is stored here is read; anything else is a 412 (`Cache-Control: only-if-cached`). */
  onlyIfCached?: boolean
  /** Whether this many bytes from a gateway may be stored in R2; without it nothing is stored. */
  admit?: (bytes: number) => Promise<boolean>
  fetch?: typeof fetch
  waitUntil?: (promise: Promise<unknown>) => void
  /** Throws for a denied block, at any place in a DAG. */
  refuse?: (cid: CID) => void
  /** The address of who asks, where it is known. */
  client?: string | undefined
  budget: Budget
}

/**
 * The block source of one request: this data centre's cache, then R2, then the trustless gateways, whose blocks are then
 * stored in both if the cache admits them. It remembers for its request which gateway sent false data and which was fast.
 */
export function openBlockStore(options: BlockStoreOptions): BlockSource {
  const { bucket, onlyIfCached = false, waitUntil = () => {}, refuse = () => {}, budget } = options
  const { admit = async () => false, client } = options
  // Unbound on purpose: workerd's fetch refuses another `this`.
  const fetcher: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init))
  const pool: GatewayPool = { urls: [...options.gateways], fetch: fetcher }
  const copies = new PQueue({ concurrency: MAX_COPIES })

  async function keep(cid: CID, bytes: Uint8Array, before: StoredBlock['found']): Promise<void> {
    await copies.onSizeLessThan(1)
    waitUntil(copies.add(() => storeBlock(bucket, cid, bytes, before, admit)))
  }

  let tier: CacheTier = 'memory'
  const underWay = new Map<string, Promise<Uint8Array>>()
  const given = new Map<string, CID>()
  /** Buffers that nobody but the caller of `getOnce` has. */
  const alone = new WeakSet<ArrayBufferLike>()

  /** `isAlone`: no copy is made of it any more. */
  async function read(cid: CID, name: string): Promise<{ bytes: Uint8Array; isAlone: boolean }> {
    const near = await edgeBlock(name)
    if (near && (await verifyBlock(cid, near))) {
      if (tier === 'memory') tier = 'edge'
      return { bytes: near, isAlone: true }
    }
    const stored = await readStored(bucket, cid)
    if (stored.found === 'block') {
      if (tier !== 'miss') tier = 'r2'
      waitUntil(cacheBlockAtEdge(name, stored.bytes))
      return { bytes: stored.bytes, isAlone: !fitsEdgeCache(stored.bytes) }
    }
    if (onlyIfCached) throw new AppError(412, 'not_cached', `The block ${canonicalCid(cid)} is not stored here.`)
    tier = 'miss'
    const bytes = await fetchBlock(cid, pool).catch((error: unknown) => {
      // That nobody else has it says nothing while our own store cannot be asked.
      throw stored.found === 'failure' ? stored.failure : error
    })
    waitUntil(cacheBlockAtEdge(name, bytes))
    await keep(cid, bytes, stored.found)
    return { bytes, isAlone: false }
  }

  function readOnce(cid: CID, key: string): Promise<Uint8Array> {
    const block = underWay.get(key) ?? readAndHold(cid, key)
    underWay.set(key, block)
    return block
  }

  async function readAndHold(cid: CID, key: string): Promise<Uint8Array> {
    try {
      const { bytes } = await read(cid, blockName(cid))
      held.set(key, bytes, bytes.byteLength)
      return bytes
    } finally {
      underWay.delete(key)
    }
  }

  async function readAlone(cid: CID): Promise<Uint8Array> {
    const { bytes, isAlone } = await read(cid, blockName(cid))
    if (isAlone) alone.add(bytes.buffer)
    return bytes
  }

  async function give(cid: CID, once: boolean): Promise<Uint8Array> {
    refuse(cid)
    const inlined = inlineBlock(cid)
    const key = blockKey(cid)
    // What is sent again in one DAG is stored after all.
    const isFirst = given.size <= MAX_GIVEN && !given.has(key)
    if (given.size <= MAX_GIVEN) given.set(key, cid)
    const found = inlined ?? held.get(key)
    const block = found ?? (await (once && isFirst ? readAlone(cid) : readOnce(cid, key)))
    // Counted before it is decoded, each time that it is.
    const pause = budget.spend(blockWork(cid, block.byteLength))
    if (pause) await pause
    return block
  }

  return {
    get tier() {
      return tier
    },
    get given() {
      return given.size > MAX_GIVEN ? undefined : [...given.values()]
    },
    ahead: new ReadAheadMemory(MAX_AHEAD, client),
    take: memoryOf(client),
    budget,
    get: (cid) => give(cid, false),
    getOnce: (cid) => give(cid, true),
    free({ buffer }) {
      // Without it, blocks that were sent use up to 64 MB until the garbage collector runs.
      if (buffer instanceof ArrayBuffer && alone.delete(buffer)) buffer.transfer(0)
    },
  }
}

/** Permits to read blocks ahead of the reader, as long as the isolate has memory for them that nobody waits for. */
class ReadAheadMemory extends ReadAheadPermits {
  readonly #client: string | undefined
  readonly #shares: MemoryShare[] = []

  /** `most` blocks for one request, of a client with this address. */
  constructor(most: number, client: string | undefined) {
    super(most)
    this.#client = client
  }

  override acquire(): boolean {
    if (!super.acquire()) return false
    const share = freeMemoryOf('ipfs', this.#client, MAX_BLOCK_BYTES)
    if (share) this.#shares.push(share)
    else super.release()
    return share !== undefined
  }

  override release(): void {
    this.#shares.shift()?.release()
    super.release()
  }
}
