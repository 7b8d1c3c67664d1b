import type { CID } from 'multiformats/cid'
import { type BlockHashes, inlineBlock, verifyBlock } from '../../reader/ipfs/block-hashes.ts'
import { decodeNode, invalidDag } from '../../reader/ipfs/dag-node.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { ReadAheadPermits } from '../../reader/read-ahead.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Dag, UnixfsBlock } from '../../reader/unixfs/dag.ts'
import { type DagBounds, dagKey } from './dag-bounds.ts'
import { yieldToPage } from './yield-to-page.ts'

/** Requests a block. */
export type ReadBlock = (cid: CID) => Promise<Uint8Array>

/** Bytes of recently read blocks, because reading a file requests its nodes several times. */
const MAX_RECENT_BYTES = 4 << 20

/**
 * The blocks of one file, as `@helia/unixfs` reads them: each one is verified, limited and counted, whichever node
 * sends it. If a block is not available, `unixfs` gets no error, since it would reject a promise that nobody handles
 * (ipfs-unixfs-exporter, two levels down). Its request stays pending, and `failed` rejects.
 */
export class GuardedBlocks implements Dag {
  /** Rejects with the first error; never resolves. */
  readonly failed: Promise<never>
  readonly #read: ReadBlock
  readonly #hashes: BlockHashes
  readonly #bounds: DagBounds
  readonly #recent = new Map<string, Uint8Array>()
  #recentBytes = 0
  readonly #coming = new Map<string, Promise<Uint8Array>>()
  #ended = false
  #reject: (error: unknown) => void = () => {}

  constructor(read: ReadBlock, hashes: BlockHashes, bounds: DagBounds) {
    this.#read = read
    this.#hashes = hashes
    this.#bounds = bounds
    this.failed = new Promise((_, reject) => {
      this.#reject = reject
    })
    this.failed.catch(() => {})
  }

  /** Aborts all reading with this error. */
  fail(error: unknown): void {
    this.#ended = true
    this.#recent.clear()
    this.#reject(error)
  }

  /** As {@link fail}, after everything was read: `unixfs` may still be running in the background. */
  close(): void {
    this.fail(new ReaderError('aborted', 'Reading has ended.'))
  }

  // All readers share the code that resolves paths.
  readonly ahead = new ReadAheadPermits(1)
  readonly maxDepth = IPFS_LIMITS.maxDepth
  readonly invalid = invalidDag

  async read(cid: CID): Promise<UnixfsBlock> {
    return decodeNode(cid, await this.get(cid))
  }

  /** The interface for `unixfs`. */
  readonly blockstore = {
    get: (cid: CID) => this.#getForUnixfs(cid),
    has: () => true,
    put: () => {
      throw new ReaderError('unsupported', 'The page helper does not write blocks.')
    },
  }

  async *#getForUnixfs(cid: CID): AsyncGenerator<Uint8Array> {
    try {
      yield await this.get(cid)
    } catch (error) {
      this.fail(error)
      await new Promise(() => {})
    }
  }

  /** The bytes of a block, verified. @throws {ReaderError} */
  async get(cid: CID): Promise<Uint8Array> {
    await yieldToPage()
    const key = dagKey(cid)
    const bytes = inlineBlock(cid, this.#hashes) ?? this.#recent.get(key) ?? (await this.#fetch(cid, key))
    if (this.#ended) return this.failed
    await this.#bounds.admit(cid, key, bytes)
    // The caller decodes it again, which takes time too.
    await yieldToPage()
    return this.#ended ? this.failed : bytes
  }

  /** Requests a block once for all that need it. */
  #fetch(cid: CID, key: string): Promise<Uint8Array> {
    const coming = this.#coming.get(key) ?? this.#readVerified(cid, key)
    this.#coming.set(key, coming)
    return coming
  }

  async #readVerified(cid: CID, key: string): Promise<Uint8Array> {
    try {
      if (this.#ended) return await this.failed
      const bytes = await this.#read(cid)
      const { maxBlockBytes } = IPFS_LIMITS
      if (bytes.length > maxBlockBytes) {
        throw new ReaderError('too_large', `The block ${cid} is larger than ${maxBlockBytes} bytes.`)
      }
      await verifyBlock(cid, bytes, this.#hashes)
      if (!this.#ended) this.#remember(key, bytes)
      return bytes
    } finally {
      this.#coming.delete(key)
    }
  }

  #remember(key: string, bytes: Uint8Array): void {
    this.#recent.set(key, bytes)
    this.#recentBytes += bytes.length
    for (const [oldest, { length }] of this.#recent) {
      if (this.#recentBytes <= MAX_RECENT_BYTES) break
      this.#recent.delete(oldest)
      this.#recentBytes -= length
    }
  }
}
