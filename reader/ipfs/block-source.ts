import type { CID } from 'multiformats/cid'
import type { FetchRequest } from '../fetch-bytes.ts'
import { ReadAheadPermits } from '../read-ahead.ts'
import { readWhole } from '../read-whole.ts'
import { ReaderError } from '../reader-error.ts'
import type { Dag, FileNode, UnixfsBlock } from '../unixfs/dag.ts'
import { walkFile } from '../unixfs/walk-file.ts'
import { type BlockHashes, inlineBlock, verifyBlock } from './block-hashes.ts'
import { carBlocks } from './car-blocks.ts'
import { blockKey, type CarBlock, CarReader, type CarRequest, carPath } from './car-reader.ts'
import { decodeNode, invalidDag } from './dag-node.ts'
import type { IpfsLimits } from './ipfs-limits.ts'

/** Blocks by CID, cached between reads; what is read back is verified again. */
export interface BlockStore {
  get(cid: CID): Promise<Uint8Array | undefined>
  /** Replaces an existing block. */
  put(cid: CID, bytes: Uint8Array): Promise<void>
}

export interface IpfsReader {
  /** The pieces of a body; throws a `ReaderError` if it fails: `fetchBytes`, or a function like it. */
  download(request: FetchRequest): AsyncIterable<Uint8Array>
  signal?: AbortSignal | undefined
  /** Called with the URL of bytes that do not match the requested CID, before the error. */
  onMismatch?: ((url: string) => void) | undefined
  /** A trustless gateway, without a slash at the end; the API host is one. All its answers are verified. */
  gateway: string
  hashes: BlockHashes
  store?: BlockStore | undefined
  limits: IpfsLimits
}

const MAX_RECENT_BYTES = 4 << 20

/**
 * Verified blocks: from the store, from the CAR that is being read, or one by one. A CAR is read only as far as its
 * blocks are requested, so that a file streams through it; blocks that it lacks are fetched one by one.
 */
export class BlockSource implements Dag {
  readonly limits: IpfsLimits
  /** None, because blocks arrive in the order of the CAR. */
  readonly ahead = new ReadAheadPermits(0)
  readonly invalid = invalidDag
  readonly #reader: IpfsReader
  #nodesLeft: number
  readonly #car: CarReader
  /** Recently requested blocks: a CAR has each block once, also if a file repeats it. */
  readonly #recent = new Map<string, Uint8Array>()
  #recentBytes = 0

  constructor(reader: IpfsReader, carRequest: CarRequest | undefined) {
    this.#reader = reader
    this.limits = reader.limits
    this.#nodesLeft = reader.limits.maxNodes
    this.#car = new CarReader(reader.limits.maxHeldBytes)
    if (carRequest) this.#car.open(this.#readCar(reader.gateway + carPath(carRequest)))
  }

  get maxDepth(): number {
    return this.limits.maxDepth
  }

  /**
   * The block of a CID. Each read is counted, because eight blocks can describe 256 to the power of seven shards.
   * @throws {ReaderError} `too_large` beyond `maxNodes`, `invalid_dag`, `not_verified` …
   */
  async read(cid: CID): Promise<UnixfsBlock> {
    if (this.#nodesLeft-- <= 0) throw new ReaderError('too_large', 'The DAG has more nodes than are read here.')
    return await decodeNode(cid, await this.get(cid))
  }

  /** The bytes of a file from `offset` to `end`, one block at a time; no other blocks are asked for. @throws {ReaderError} */
  async *readFile(node: FileNode, offset: number, end = node.size - 1): AsyncGenerator<Uint8Array> {
    for await (const { data } of walkFile(this, node, { start: offset, end })) {
      if (data.length > 0) yield data
    }
  }

  /** The bytes of a block, hashed. @throws {ReaderError} */
  async get(cid: CID): Promise<Uint8Array> {
    const { hashes, store } = this.#reader
    const inline = inlineBlock(cid, hashes)
    if (inline) return inline
    const key = blockKey(cid)
    const recent = this.#recent.get(key)
    if (recent) return recent
    const found =
      this.#car.take(key) ?? (await this.#kept(cid)) ?? (await this.#fromCar(key)) ?? (await this.#fetch(cid))
    this.#remember(key, found)
    await store?.put(cid, found)
    return found
  }

  /** Ends the download of the CAR. */
  async close(): Promise<void> {
    this.#recent.clear()
    await this.#car.close()
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

  async #kept(cid: CID): Promise<Uint8Array | undefined> {
    const bytes = await this.#reader.store?.get(cid)
    if (!bytes) return undefined
    try {
      await verifyBlock(cid, bytes, this.#reader.hashes)
      return bytes
    } catch {
      // The stored bytes are damaged: they are fetched again and replaced.
      return undefined
    }
  }

  async #fromCar(key: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#car.readTo(key)
    } catch (error) {
      // Refused or altered is final. A gateway that breaks off may still have the blocks one by one.
      this.#reader.signal?.throwIfAborted()
      if (error instanceof ReaderError && FINAL.has(error.code)) throw error
      return undefined
    }
  }

  async *#readCar(url: string): AsyncGenerator<CarBlock> {
    const { maxCarBytes, maxBlockBytes } = this.limits
    for await (const block of carBlocks(
      this.#reader.download({ url, accept: CAR, maxBytes: maxCarBytes }),
      maxBlockBytes,
    )) {
      await this.#verify(block.cid, block.bytes, url)
      yield block
    }
  }

  async #fetch(cid: CID): Promise<Uint8Array> {
    const { gateway, limits } = this.#reader
    const url = `${gateway}/ipfs/${cid}?format=raw`
    const bytes = await readWhole(this.#reader.download({ url, accept: RAW, maxBytes: limits.maxBlockBytes }))
    await this.#verify(cid, bytes, url)
    return bytes
  }

  async #verify(cid: CID, bytes: Uint8Array, url: string): Promise<void> {
    try {
      await verifyBlock(cid, bytes, this.#reader.hashes)
    } catch (error) {
      this.#reader.onMismatch?.(url)
      throw error
    }
  }
}

const CAR = 'application/vnd.ipld.car'
const RAW = 'application/vnd.ipld.raw'
const FINAL = new Set(['denied', 'not_verified', 'too_large'])
