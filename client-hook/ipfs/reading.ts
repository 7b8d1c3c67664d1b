import type { CID } from 'multiformats/cid'
import { type BlockHashes, inlineBlock, verifyBlock } from '../../reader/ipfs/block-hashes.ts'
import { carBlocks } from '../../reader/ipfs/car-blocks.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { readWhole } from '../../reader/read-whole.ts'
import type { SourceAnswer } from '../ask-source.ts'
import type { PartTools } from '../part-tools.ts'
import { blockKey } from './block-key.ts'
import { codeOf } from './explain-error.ts'
import { giveWay } from './give-way.ts'

interface AskOptions {
  /** Bytes at most. */
  limit: number
  onProgress?: ((loaded: number, total: number | undefined) => void) | undefined
}

/** Asks for a path such as `/ipfs/<cid>?format=raw`. @throws an error with a `code` where no source has it */
export type AskForPath = (path: string, options: AskOptions) => Promise<SourceAnswer>

/** `reload`: past what the browser keeps; `gateways`: what an element names. */
export function askFor(
  { askSources }: PartTools,
  { reload, signal, gateways }: { reload?: boolean; signal?: AbortSignal; gateways?: readonly string[] },
): AskForPath {
  return (path, options) => askSources({ ...options, kind: 'ipfs', path, reload, signal, gateways })
}

/** What one fill reads, told before it reads: the broker of the node is given one CID and nothing else. */
interface ReadingPlan {
  root: CID
  /** Names below the root. */
  names: readonly string[]
  /** `entity`: the file at the path, `all`: everything below the root. */
  scope: 'entity' | 'all'
  /** Whether what the browser keeps does not count. */
  reload: boolean
  maxCarBytes: number
  onProgress: AskOptions['onProgress']
}

/** Options that pass through Helia from `blockstore.get` to the store and the broker. */
export interface ReadingOptions {
  signal?: AbortSignal
  reading?: Reading
}

export function readingOf(options: object | undefined): Reading | undefined {
  return options && 'reading' in options && options.reading instanceof Reading ? options.reading : undefined
}

/**
 * The blocks of one fill from the sources, verified: all in one request (a CAR, trustless gateway specification), and one
 * by one what it lacks. Nothing is asked for before a block is wanted that is not kept.
 */
export class Reading {
  readonly #ask: AskForPath
  readonly #hashes: BlockHashes
  readonly #plan: ReadingPlan
  #car: AsyncGenerator<{ cid: CID; bytes: Uint8Array }> | undefined
  /** The last reader of the CAR: it has one at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Blocks of the CAR that were not asked for yet. */
  readonly #held = new Map<string, Uint8Array>()
  #heldBytes = 0
  /** Blocks that have been given out. */
  readonly #given = new Set<string>()

  constructor(ask: AskForPath, hashes: BlockHashes, plan: ReadingPlan) {
    this.#ask = ask
    this.#hashes = hashes
    this.#plan = plan
    this.#car = this.#readCar()
  }

  /** Whether a block is to come from the sources though it is kept. */
  skipsStore(key: string): boolean {
    return this.#plan.reload && !this.#given.has(key)
  }

  /** The bytes of a block, verified. @throws an error with a `code` */
  async get(cid: CID): Promise<Uint8Array> {
    const key = blockKey(cid)
    const inTurn = this.#turn.then(() => this.#fromCar(key))
    this.#turn = inTurn.catch(() => {})
    const bytes = (await inTurn) ?? (await fetchBlock(this.#ask, this.#hashes, cid))
    this.#given.add(key)
    return bytes
  }

  async #fromCar(key: string): Promise<Uint8Array | undefined> {
    const held = this.#held.get(key)
    if (held) {
      this.#held.delete(key)
      this.#heldBytes -= held.length
      return held
    }
    while (this.#car && this.#heldBytes < IPFS_LIMITS.maxHeldBytes) {
      let step: IteratorResult<{ cid: CID; bytes: Uint8Array }>
      try {
        step = await this.#car.next()
      } catch (error) {
        this.#car = undefined
        // Refused is final. A source that breaks off, or knows no CAR, may still have the blocks one by one.
        if (FINAL.has(codeOf(error))) throw error
        return undefined
      }
      if (step.done) this.#car = undefined
      else {
        const { cid, bytes } = step.value
        const arrived = blockKey(cid)
        if (arrived === key) return bytes
        if (!this.#held.has(arrived) && !this.#given.has(arrived)) {
          this.#held.set(arrived, bytes)
          this.#heldBytes += bytes.length
        }
      }
    }
    return undefined
  }

  /** The blocks of the plan, verified; again from the next source where one sends what is false. */
  async *#readCar(): AsyncGenerator<{ cid: CID; bytes: Uint8Array }> {
    const { maxCarBytes, onProgress } = this.#plan
    for (let answer = await this.#ask(carPath(this.#plan), { limit: maxCarBytes, onProgress }); ; ) {
      try {
        for await (const block of carBlocks(piecesOf(answer), IPFS_LIMITS.maxBlockBytes)) {
          // Throws where the hash is one that can't be verified here.
          inlineBlock(block.cid, this.#hashes)
          await verifyBlock(block.cid, block.bytes, this.#hashes)
          yield block
          await giveWay()
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

/** Each is let go of when it is taken: a CAR may be larger than what is kept of it. */
async function* piecesOf({ chunks }: SourceAnswer): AsyncGenerator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk
}

function carPath({ root, names, scope }: ReadingPlan): string {
  const path = [`/ipfs/${root}`, ...names.map(encodeURIComponent)].join('/')
  return `${path}?format=car&dag-scope=${scope}`
}
