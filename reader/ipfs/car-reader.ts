import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'

/** A block and its CID. */
export interface CarBlock {
  cid: CID
  bytes: Uint8Array
}

/** A part of a DAG that is fetched in one request (trustless gateway specification, CAR parameters). */
export interface CarRequest {
  root: CID
  /** Names below the root. */
  names: readonly string[]
  /** `block`: the first block of what is at the path, `entity`: the file or directory, `all`: everything below it. */
  scope: 'block' | 'entity' | 'all'
  /** First byte of the file that is wanted. */
  offset?: number
  /** Last byte of it that is wanted; all up to the end without it. */
  end?: number | undefined
}

/** The path of a request for a CAR, below a gateway's origin. */
export function carPath({ root, names, scope, offset = 0, end }: CarRequest): string {
  const path = ['/ipfs', root, ...names.map(encodeURIComponent)].join('/')
  const partial = scope === 'entity' && (offset > 0 || end !== undefined)
  const range = partial ? `&entity-bytes=${offset}:${end ?? '*'}` : ''
  return `${path}?format=car&dag-scope=${scope}${range}`
}

/** The key of a block: its CID, version 1, in base 16. Version 0 and 1 of a CID name the same block. */
export function blockKey(cid: CID): string {
  return `f${toHex(cid.toV1().bytes)}`
}

/**
 * The verified blocks of a CAR, which is read only as far as its blocks are requested. Blocks that arrive before they are
 * requested are held, up to a number of bytes.
 */
export class CarReader {
  readonly #maxHeldBytes: number
  readonly #held = new Map<string, Uint8Array>()
  #heldBytes = 0
  #blocks: AsyncGenerator<CarBlock> | undefined

  constructor(maxHeldBytes: number) {
    this.#maxHeldBytes = maxHeldBytes
  }

  /** Whether a CAR is being read. */
  get isOpen(): boolean {
    return this.#blocks !== undefined
  }

  /** Begins to read a CAR, whose blocks the generator verifies. */
  open(blocks: AsyncGenerator<CarBlock>): void {
    this.#blocks = blocks
  }

  /** A block that is held, and not held any more. */
  take(key: string): Uint8Array | undefined {
    const bytes = this.#held.get(key)
    if (!bytes) return undefined
    this.#held.delete(key)
    this.#heldBytes -= bytes.length
    return bytes
  }

  /**
   * Reads on to a block; `undefined` where the CAR lacks it, or as many bytes as may be are held. Other blocks are held,
   * unless they are `known`. @throws what the CAR throws, which is then closed
   */
  async readTo(key: string, known?: ReadonlySet<string>): Promise<Uint8Array | undefined> {
    while (this.#blocks && this.#heldBytes < this.#maxHeldBytes) {
      let step: IteratorResult<CarBlock>
      try {
        step = await this.#blocks.next()
      } catch (error) {
        this.#blocks = undefined
        throw error
      }
      if (step.done) {
        this.#blocks = undefined
        return undefined
      }
      const { cid, bytes } = step.value
      const arrived = blockKey(cid)
      if (arrived === key) return bytes
      if (this.#held.has(arrived) || known?.has(arrived)) continue
      this.#held.set(arrived, bytes)
      this.#heldBytes += bytes.length
    }
    return undefined
  }

  /** Ends the download. */
  async close(): Promise<void> {
    const blocks = this.#blocks
    this.#blocks = undefined
    this.#held.clear()
    this.#heldBytes = 0
    await blocks?.return(undefined).catch(() => {})
  }
}
