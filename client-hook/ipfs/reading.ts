import type { CID } from 'multiformats/cid'
import { type BlockHashes, inlineBlock, verifyBlock } from '../../reader/ipfs/block-hashes.ts'
import { carBlocks } from '../../reader/ipfs/car-blocks.ts'
import { blockKey, type CarBlock, CarReader, type CarRequest, carPath } from '../../reader/ipfs/car-reader.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { readWhole } from '../../reader/read-whole.ts'
import type { SourceAnswer } from '../fetch-from.ts'
import type { PartTools } from '../part-tools.ts'
import { codeOf } from './explain-error.ts'
import { yieldToPage } from './yield-to-page.ts'

interface AskOptions {
  /** Size limit in bytes. */
  limit: number
  onProgress?: ((loaded: number, total: number | undefined) => void) | undefined
}

/**
 * Requests a path such as `/ipfs/<cid>?format=raw`.
 * @throws an error with a `code` if no source has it
 */
export type AskForPath = (path: string, options: AskOptions) => Promise<SourceAnswer>

/** `reload`: bypasses the browser's cache; `gateways`: those that the element names. */
export function askFor(
  { fetchAny }: PartTools,
  { reload, signal, gateways }: { reload?: boolean; signal?: AbortSignal; gateways?: readonly string[] },
): AskForPath {
  return (path, options) => fetchAny({ ...options, kind: 'ipfs', path, reload, signal, gateways })
}

interface ReadingLimits {
  /** Whether to ignore what the browser has stored. */
  reload: boolean
  maxCarBytes: number
  onProgress: AskOptions['onProgress']
}

/** Whether the sources have refused a CAR and then sent a block; shared by the readings of one fill. */
export interface CarSupport {
  refused: boolean
}

/** Options that Helia passes from `blockstore.get` to the store and the broker. */
export interface ReadingOptions {
  signal?: AbortSignal
  reading?: Reading
}

export function readingOf(options: object | undefined): Reading | undefined {
  return options && 'reading' in options && options.reading instanceof Reading ? options.reading : undefined
}

/**
 * The verified blocks of one file: those of a plan in one request (a CAR, trustless gateway specification), and missing
 * ones one by one. Nothing is requested until a block is needed that is not stored.
 */
export class Reading {
  readonly #ask: AskForPath
  readonly #hashes: BlockHashes
  readonly #limits: ReadingLimits
  readonly #cars: CarSupport
  /** The plan that no CAR was requested for yet. */
  #plan: CarRequest | undefined
  readonly #car = new CarReader(IPFS_LIMITS.maxHeldBytes)
  /** The last reader of the CAR; only one reads at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Blocks that were returned. */
  readonly #given = new Set<string>()
  /** Whether the last CAR was refused. */
  #failed = false

  constructor(ask: AskForPath, hashes: BlockHashes, limits: ReadingLimits, cars: CarSupport) {
    this.#ask = ask
    this.#hashes = hashes
    this.#limits = limits
    this.#cars = cars
  }

  /**
   * What is read next: the first block that is missing is requested with the others of the plan. The plan comes before
   * the block, because the node's broker only receives single CIDs.
   */
  expect(plan: CarRequest): void {
    // A block alone needs no CAR.
    this.#plan = plan.names.length === 0 && plan.scope === 'block' ? undefined : plan
  }

  /** Whether a block must be downloaded although it is stored. */
  skipsStore(key: string): boolean {
    return this.#limits.reload && !this.#given.has(key)
  }

  /** The bytes of a block, verified. @throws an error with a `code` */
  async get(cid: CID): Promise<Uint8Array> {
    const key = blockKey(cid)
    const inTurn = this.#turn.then(() => this.#fromCar(key))
    this.#turn = inTurn.catch(() => {})
    const bytes = (await inTurn) ?? (await this.#single(cid))
    this.#given.add(key)
    return bytes
  }

  async #single(cid: CID): Promise<Uint8Array> {
    const bytes = await fetchBlock(this.#ask, this.#hashes, cid)
    if (this.#failed) this.#cars.refused = true
    return bytes
  }

  async #fromCar(key: string): Promise<Uint8Array | undefined> {
    let found = this.#car.take(key)
    while (!found && this.#openNext()) {
      try {
        found = await this.#car.readTo(key, this.#given)
        // As many bytes as may be are held.
        if (!found && this.#car.isOpen) return undefined
      } catch (error) {
        // A final error. After any other, the source may still have the single blocks.
        if (FINAL.has(codeOf(error))) throw error
        this.#failed = codeOf(error) !== 'not_found'
        return undefined
      }
    }
    return found
  }

  /** Whether a CAR is being read, which is that of the plan after the last one ended. */
  #openNext(): boolean {
    if (this.#car.isOpen) return true
    const plan = this.#plan
    this.#plan = undefined
    if (plan && !this.#cars.refused) this.#car.open(this.#readCar(plan))
    return this.#car.isOpen
  }

  /** The verified blocks of a plan. If a source sends false data, the next source is used. */
  async *#readCar(plan: CarRequest): AsyncGenerator<CarBlock> {
    const { maxCarBytes, onProgress } = this.#limits
    for (let answer = await this.#ask(carPath(plan), { limit: maxCarBytes, onProgress }); ; ) {
      try {
        for await (const block of carBlocks(piecesOf(answer), IPFS_LIMITS.maxBlockBytes)) {
          // Throws if this hash function is not supported.
          inlineBlock(block.cid, this.#hashes)
          await verifyBlock(block.cid, block.bytes, this.#hashes)
          yield block
          await yieldToPage()
        }
        return
      } catch (error) {
        if (codeOf(error) !== 'not_verified') throw error
        answer = await answer.refuse(error)
      }
    }
  }
}

/** One block, verified. @throws an error with a `code` */
export async function fetchBlock(ask: AskForPath, hashes: BlockHashes, cid: CID): Promise<Uint8Array> {
  for (let answer = await ask(`/ipfs/${cid}?format=raw`, { limit: IPFS_LIMITS.maxBlockBytes }); ; ) {
    try {
      const bytes = await readWhole(piecesOf(answer))
      await verifyBlock(cid, bytes, hashes)
      return bytes
    } catch (error) {
      if (codeOf(error) !== 'not_verified') throw error
      answer = await answer.refuse(error)
    }
  }
}

const FINAL = new Set(['aborted', 'denied', 'not_verified', 'too_large'])

/** Each chunk is released when it is read, because a CAR may be larger than the part of it that is stored. */
async function* piecesOf({ chunks }: SourceAnswer): AsyncGenerator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk
}
