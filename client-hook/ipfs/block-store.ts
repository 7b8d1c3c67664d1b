import { BaseBlockstore } from 'blockstore-core/base'
import type { Helia } from 'helia'
import { base16 } from 'multiformats/bases/base16'
import { CID } from 'multiformats/cid'
import { type BlockHashes, inlineBlock, verifyBlock } from '../../reader/ipfs/block-hashes.ts'
import { blockKey } from '../../reader/ipfs/car-reader.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Database } from '../database.ts'
import { readBlock } from './read-block.ts'
import { type ReadingOptions, readingOf } from './reading.ts'

/** Bytes of blocks that wait to be written, and of found blocks that wait to be read. */
const MAX_WAITING = 4 << 20
/** Milliseconds that a block may wait to be written together with others. */
const WRITE_DELAY_MS = 20
const KEYS_AT_A_TIME = 1000
/**
 * The database also contains transactions, with CIDs of the codec `bitcoin-tx` (chain-content.ts). They are not IPFS
 * blocks.
 */
const TRANSACTION = 'f01b101'

/**
 * The page's database as Helia's block store. Helia trusts its store, so blocks are verified both when they are read
 * and when they are written. Many blocks are written in one transaction, and no reader waits for it.
 */
export class CachedBlocks extends BaseBlockstore {
  readonly #database: Database
  readonly #hashes: BlockHashes
  #waiting = new Map<string, Uint8Array>()
  #waitingBytes = 0
  /** Blocks that are being written. */
  #writing = new Map<string, Uint8Array>()
  #written: Promise<void> | undefined
  /** Verified blocks that `has` has read and `get` will request next. */
  readonly #found = new Map<string, Uint8Array>()
  #foundBytes = 0
  /** Keys of the next look-up, and its result. */
  #keys: string[] = []
  #results: Promise<(Uint8Array | undefined)[]> | undefined

  constructor(database: Database, hashes: BlockHashes) {
    super()
    this.#database = database
    this.#hashes = hashes
  }

  override async has(cid: CID, options?: ReadingOptions): Promise<boolean> {
    const key = blockKey(cid)
    if (readingOf(options)?.skipsStore(key)) return false
    const bytes = await this.#find(cid, key)
    if (bytes) this.#expect(key, bytes)
    return bytes !== undefined
  }

  override async *get(cid: CID): AsyncGenerator<Uint8Array> {
    const key = blockKey(cid)
    const bytes = this.#expected(key) ?? (await this.#find(cid, key))
    if (!bytes) throw Object.assign(new Error(`The block ${cid} is not in the store.`), { name: 'NotFoundError' })
    yield bytes
  }

  /** @throws {ReaderError} `not_verified` unless the bytes are the block of the CID */
  override async put(cid: CID, block: Parameters<Helia['blockstore']['put']>[1]): Promise<CID> {
    const bytes = block instanceof Uint8Array ? block : await readBlock(cid, block)
    // Throws if this hash function is not supported.
    inlineBlock(cid, this.#hashes)
    await verifyBlock(cid, bytes, this.#hashes)
    const key = blockKey(cid)
    if (this.#waitingBytes > MAX_WAITING) await this.save()
    if (this.#waiting.has(key)) return cid
    if (this.#waiting.size === 0) setTimeout(() => this.save(), WRITE_DELAY_MS)
    // Copied, because the caller may change the array.
    this.#waiting.set(key, bytes.slice())
    this.#waitingBytes += bytes.length
    return cid
  }

  override async delete(cid: CID): Promise<void> {
    const key = blockKey(cid)
    if (key.startsWith(TRANSACTION)) return
    this.#expected(key)
    this.#drop(key)
    await this.#written
    await this.#database.delete([key])
  }

  override async *getAll(): AsyncGenerator<{ cid: CID; bytes: AsyncGenerator<Uint8Array> }> {
    await this.save()
    for await (const key of this.#allKeys()) {
      if (key.startsWith(TRANSACTION)) continue
      const cid = CID.parse(key, base16)
      yield { cid, bytes: this.get(cid) }
    }
  }

  /** Writes the waiting blocks. Never rejects. */
  async save(): Promise<void> {
    if (!this.#database.persistent) return this.#trim()
    await this.#written
    if (this.#waiting.size === 0) return
    this.#writing = this.#waiting
    this.#waiting = new Map()
    this.#waitingBytes = 0
    this.#written = this.#database.put([...this.#writing]).then(() => {
      this.#writing = new Map()
      this.#written = undefined
    })
    await this.#written
  }

  /** Without a database only the last blocks are in memory. */
  #trim(): void {
    for (const key of this.#waiting.keys()) {
      if (this.#waitingBytes <= MAX_WAITING) return
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#waitingBytes -= this.#waiting.get(key)?.length ?? 0
    this.#waiting.delete(key)
  }

  async *#allKeys(): AsyncGenerator<string> {
    yield* [...this.#waiting.keys()]
    const { db } = this.#database
    for (let last = ''; db; ) {
      const store = db.transaction('bytes').store
      const keys = await store.getAllKeys(IDBKeyRange.lowerBound(last, true), KEYS_AT_A_TIME)
      yield* keys
      if (keys.length < KEYS_AT_A_TIME) return
      last = keys.at(-1) ?? last
    }
  }

  /** The stored bytes of a key. Keys that are looked up at the same moment share one transaction. */
  async #lookUp(key: string): Promise<Uint8Array | undefined> {
    const index = this.#keys.push(key) - 1
    this.#results ??= Promise.resolve().then(() => {
      const keys = this.#keys
      this.#keys = []
      this.#results = undefined
      return this.#database.get(keys)
    })
    return (await this.#results)[index]
  }

  /** The stored block if it matches its CID. A block that does not match is removed. */
  async #find(cid: CID, key: string): Promise<Uint8Array | undefined> {
    if (key.startsWith(TRANSACTION)) return undefined
    const bytes = this.#waiting.get(key) ?? this.#writing.get(key) ?? (await this.#lookUp(key))
    if (!bytes) return undefined
    try {
      await verifyBlock(cid, bytes, this.#hashes)
      return bytes
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error
      await this.delete(cid)
      return undefined
    }
  }

  #expect(key: string, bytes: Uint8Array): void {
    this.#expected(key)
    this.#found.set(key, bytes)
    this.#foundBytes += bytes.length
    for (const oldest of this.#found.keys()) {
      if (this.#foundBytes <= MAX_WAITING) return
      this.#expected(oldest)
    }
  }

  #expected(key: string): Uint8Array | undefined {
    const bytes = this.#found.get(key)
    this.#foundBytes -= bytes?.length ?? 0
    this.#found.delete(key)
    return bytes
  }
}
