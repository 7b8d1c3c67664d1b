interface Entry {
  bytes: number
  /** Asked for since it was put where it stands. */
  used: boolean
  drop(): void
}

/** What an entry takes beside its value and what its caller counts (bytes): its place in both tables, and its key's object. */
const ENTRY_BYTES = 200

/** What all caches of an isolate may take in memory (bytes). */
const ISOLATE_BYTES = 32 << 20

/** The bytes that several caches may take together; what is not asked for goes first, in whichever of them it is. */
export class CacheBudget {
  readonly #most: number
  /** From the oldest on (second chance: asking moves nothing). */
  readonly #entries = new Set<Entry>()
  #used = 0

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  add(entry: Entry): void {
    this.#entries.add(entry)
    this.#used += entry.bytes
    // A Set keeps insertion order, and gives what is put in again during the walk at its end.
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

/** All that this isolate remembers between requests, but for the denylist. */
export const isolateBudget = new CacheBudget(ISOLATE_BYTES)

/** Values by key, which share a budget of bytes with the other caches of the isolate. */
export class MemoryCache<Value> {
  readonly #entries = new Map<string, Entry & { value: Value }>()
  readonly #largest: number
  readonly #budget: CacheBudget

  /** `largest`: the most one entry may take, in bytes. */
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

  /** Stores `value`, counted as `bytes` and what an entry takes by itself; one too large for the cache is not stored. */
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
