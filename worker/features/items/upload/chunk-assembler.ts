import { CHUNK_SIZE, type ChunkPlan, chunkLength } from '../chunk-plan.ts'

/** Bytes that belong at one index of an upload. */
export interface Piece {
  index: number
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Puts the bytes of an upload together to whole chunks, from wherever an earlier part ended. It has two buffers of a
 * chunk each and fills them in turn: a chunk that it returned must not be needed any more when the next one is whole.
 */
export class ChunkAssembler {
  readonly #plan: ChunkPlan
  #index: number
  #filled: number
  #buffer: Uint8Array<ArrayBuffer>
  #other: Uint8Array<ArrayBuffer> | undefined

  /** Continues at chunk `index`, of which `tail` was stored already. */
  constructor(plan: ChunkPlan, index: number, tail: Uint8Array) {
    this.#plan = plan
    this.#index = index
    this.#buffer = this.#newBuffer()
    this.#buffer.set(tail)
    this.#filled = tail.length
  }

  /** Bytes of the upload up to here. */
  get offset(): number {
    return Math.min(this.#plan.size, this.#index * this.#plan.chunkSize) + this.#filled
  }

  /** Bytes that are missing until the current chunk is whole; 0 at the end of the upload. */
  get missing(): number {
    return (chunkLength(this.#plan, this.#index) ?? 0) - this.#filled
  }

  /** Adds the next bytes, at most `missing` of them. Returns the chunk that they make whole. */
  add(bytes: Uint8Array): Piece | undefined {
    if (bytes.length > this.missing) throw new RangeError('more bytes than the chunk has room for')
    this.#buffer.set(bytes, this.#filled)
    this.#filled += bytes.length
    if (this.missing > 0 || this.#filled === 0) return undefined
    const whole = { index: this.#index, bytes: this.#buffer.subarray(0, this.#filled) }
    const next = this.#other ?? this.#newBuffer()
    this.#other = this.#buffer
    this.#buffer = next
    this.#index++
    this.#filled = 0
    return whole
  }

  /** What is there of the chunk that is not whole. */
  tail(): Piece | undefined {
    return this.#filled === 0 ? undefined : { index: this.#index, bytes: this.#buffer.slice(0, this.#filled) }
  }

  #newBuffer(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Math.min(this.#plan.chunkSize, CHUNK_SIZE))
  }
}
