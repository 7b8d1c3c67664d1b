/** The least number of changes beside the sorted keys before they are merged in: a million keys in 0.1 s. */
const MOST_CHANGES = 1000

/**
 * A set of 64-bit keys: sorted in one array, 8 bytes a key, and what changed since. With 1,000,000 of them, one question
 * in 10^13 is answered wrongly, and one costs 20 comparisons.
 */
export class KeySet {
  #sorted: BigUint64Array
  readonly #changes = new Map<bigint, boolean>()

  /** `sorted` are the keys in ascending order. */
  constructor(sorted = new BigUint64Array()) {
    this.#sorted = sorted
  }

  has(key: bigint): boolean {
    return this.#changes.get(key) ?? includesSorted(this.#sorted, key)
  }

  /** Adds a key, or deletes it. */
  set(key: bigint, isMember: boolean): void {
    this.#changes.set(key, isMember)
    if (this.#changes.size > MOST_CHANGES + this.#sorted.length / 8) this.#sort()
  }

  /** Every key, in no order. */
  *[Symbol.iterator](): Generator<bigint> {
    for (const key of this.#sorted) if (!this.#changes.has(key)) yield key
    for (const [key, isMember] of this.#changes) if (isMember) yield key
  }

  #sort(): void {
    const keys = new BigUint64Array(this.#sorted.length + this.#changes.size)
    let count = 0
    for (const key of this) keys[count++] = key
    this.#sorted = keys.subarray(0, count).sort()
    this.#changes.clear()
  }
}

function includesSorted(sorted: BigUint64Array, key: bigint): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const at = sorted[middle] ?? 0n
    if (at === key) return true
    if (at < key) from = middle + 1
    else to = middle
  }
  return false
}
