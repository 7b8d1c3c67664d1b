/** Bytes of a SHA-256 that are kept: with 1,000,000 of them, one question in 10^13 is answered wrongly. */
export const KEY_BYTES = 8

/** Bytes ahead of the keys, of which the first is the caller's. */
export const HEADER_BYTES = 8

/** Keys that are moved or compared before others get a turn: a few milliseconds. */
const PORTION = 50_000

/** A set of keys in one buffer: 64-bit numbers in ascending order, of the first 8 bytes of each SHA-256. */
export class KeySet {
  readonly #words: Uint32Array
  readonly size: number

  /** Takes the bytes that {@link KeyCollection.finish} gives. */
  constructor(bytes: ArrayBuffer) {
    this.#words = new Uint32Array(bytes, HEADER_BYTES)
    this.size = this.#words.length >>> 1
  }

  has(key: Uint8Array): boolean {
    const [low, high] = [wordAt(key, 4), wordAt(key, 0)]
    let [from, to] = [0, this.size]
    while (from < to) {
      const middle = (from + to) >>> 1
      const at = this.#words[2 * middle + 1] ?? 0
      const order = at === high ? (this.#words[2 * middle] ?? 0) - low : at - high
      if (order === 0) return true
      if (order < 0) from = middle + 1
      else to = middle
    }
    return false
  }
}

/** Keys to be made a {@link KeySet}, collected one by one and sorted where they lie. */
export class KeyCollection {
  readonly #most: number
  readonly #buffer: ArrayBuffer
  readonly #words: Uint32Array
  #count = 0

  /** @param most how many keys it takes at most. */
  constructor(most: number) {
    this.#most = most
    this.#buffer = new ArrayBuffer(HEADER_BYTES + most * KEY_BYTES)
    this.#words = new Uint32Array(this.#buffer, HEADER_BYTES)
  }

  get size(): number {
    return this.#count
  }

  /** Whether there was room for it. */
  add(key: Uint8Array): boolean {
    if (this.#count === this.#most) return false
    this.#words[2 * this.#count] = wordAt(key, 4)
    this.#words[2 * this.#count + 1] = wordAt(key, 0)
    this.#count++
    return true
  }

  /**
   * Sorts in place, and drops what stands twice or is in `except`. SHA-256s are spread evenly, so their first byte makes
   * 256 parts that are sorted one by one. `pause` is awaited between portions of the work.
   */
  async finish(pause: () => Promise<void>, except: ReadonlySet<bigint> = new Set()): Promise<Uint8Array<ArrayBuffer>> {
    const bounds = await this.#partition(pause)
    for (let part = 0; part < 256; part++) {
      const [start, end] = [bounds[part] ?? 0, bounds[part + 1] ?? 0]
      new BigUint64Array(this.#buffer, HEADER_BYTES + start * KEY_BYTES, end - start).sort()
      if (part % 16 === 15) await pause()
    }
    const kept = await this.#dropTwins(pause, except)
    return new Uint8Array(this.#buffer, 0, HEADER_BYTES + kept * KEY_BYTES)
  }

  /** Moves every key into the part of its first byte; gives where the parts begin, and the end of the last. */
  async #partition(pause: () => Promise<void>): Promise<Uint32Array> {
    const words = this.#words
    const partOf = (index: number) => (words[2 * index + 1] ?? 0) >>> 24
    const bounds = new Uint32Array(257)
    for (let index = 0; index < this.#count; index++) bounds[partOf(index) + 1] = (bounds[partOf(index) + 1] ?? 0) + 1
    for (let part = 0; part < 256; part++) bounds[part + 1] = (bounds[part + 1] ?? 0) + (bounds[part] ?? 0)
    const free = bounds.slice()
    let moves = 0
    for (let part = 0; part < 256; part++) {
      for (let at = free[part] ?? 0; at < (bounds[part + 1] ?? 0); ) {
        const home = partOf(at)
        if (home === part) at++
        else {
          this.#swap(at, free[home] ?? 0)
          free[home] = (free[home] ?? 0) + 1
        }
        if (++moves % PORTION === 0) await pause()
      }
    }
    return bounds
  }

  #swap(a: number, b: number): void {
    const words = this.#words
    const [low, high] = [words[2 * a] ?? 0, words[2 * a + 1] ?? 0]
    words[2 * a] = words[2 * b] ?? 0
    words[2 * a + 1] = words[2 * b + 1] ?? 0
    words[2 * b] = low
    words[2 * b + 1] = high
  }

  async #dropTwins(pause: () => Promise<void>, except: ReadonlySet<bigint>): Promise<number> {
    const keys = new BigUint64Array(this.#buffer, HEADER_BYTES, this.#count)
    let kept = 0
    for (let index = 0; index < this.#count; index++) {
      const key = keys[index] ?? 0n
      if (!(kept > 0 && keys[kept - 1] === key) && !except.has(key)) keys[kept++] = key
      if (index % PORTION === PORTION - 1) await pause()
    }
    return kept
  }
}

/** The number that a key is kept as. */
export function keyNumber(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getBigUint64(0)
}

function wordAt(key: Uint8Array, offset: number): number {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getUint32(offset)
}
