interface Entry {
  bytes: number
  /** Requested since it was last moved. */
  used: boolean
  drop(): void
}

/** Bytes of an entry beside its value, for both tables and the object of its key. */
const ENTRY_BYTES = 200

/** The most bytes of all caches of an isolate. */
const ISOLATE_BYTES = 32 << 20

/** A number of bytes that several caches share; entries that are not requested are evicted first, from any of them. */
export class CacheBudget {
  readonly #most: number
  /** From the oldest on (second-chance eviction: a read moves nothing). */
  readonly #entries = new Set<Entry>()
  #used = 0

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  add(entry: Entry): void {
    this.#entries.add(entry)
    this.#used += entry.bytes
    // A Set is iterated in insertion order, and entries that are added again during the loop are visited last.
    for (const oldest of this.#entries) {
      if (this.#used <= this.#most) break
      if (oldest.used) {
        oldest.used = false
        this.#entries.delete(oldest)
        this.#entries.add(oldest)
      } else {
        this.remove(oldest)
        oldest.drop()
      }
    }
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#used -= entry.bytes
  }

  clear(): void {
    for (const entry of this.#entries) {
      this.remove(entry)
      entry.drop()
    }
  }
}

/** The budget of all caches of this isolate but the denylist. */
export const isolateBudget = new CacheBudget(ISOLATE_BYTES)

/** A cache of values by key, whose bytes count towards a budget that it shares with other caches. */
export class MemoryCache<Value> {
  readonly #entries = new Map<string, Entry & { value: Value }>()
  readonly #largest: number
  readonly #budget: CacheBudget

  /** `largest`: the most bytes of one entry. */
  constructor(largest: number, budget = isolateBudget) {
    this.#largest = largest
    this.#budget = budget
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.used = true
    return entry.value
  }

  /** Stores `value`, counted as `bytes` beside those of every entry; a value that is too large is not stored. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    if (bytes > this.#largest) return
    const drop = () => void this.#entries.delete(key)
    const entry = { value, bytes: bytes + ENTRY_BYTES + 2 * key.length, used: false, drop }
    this.#entries.set(key, entry)
    this.#budget.add(entry)
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key)
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#budget.remove(entry)
    this.#entries.delete(key)
  }
}
