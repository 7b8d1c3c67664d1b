interface Entry {
  bytes: number
  /** The reference bit of second-chance eviction: read since the entry was added, or since its last second chance. */
  referenced: boolean
  /** Deletes the entry from its cache when the budget evicts it. */
  drop(): void
}

/** Estimated overhead of an entry in bytes: its slots in the Map and the Set, and its object. */
const ENTRY_BYTES = 200

/** Maximum number of bytes of all caches of an isolate together. */
const ISOLATE_BYTES = 32 << 20

/** A limit in bytes that several caches share. If it is exceeded, entries of all these caches are evicted (second chance). */
export class CacheBudget {
  readonly #maxBytes: number
  /** Oldest first. A read does not move an entry, it only sets the reference bit. */
  readonly #entries = new Set<Entry>()
  #usedBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(entry: Entry): void {
    this.#entries.add(entry)
    this.#usedBytes += entry.bytes
    // A Set is iterated in insertion order, and entries that are added again during the loop are visited last.
    for (const oldest of this.#entries) {
      if (this.#usedBytes <= this.#maxBytes) break
      if (oldest.referenced) {
        oldest.referenced = false
        this.#entries.delete(oldest)
        this.#entries.add(oldest)
      } else {
        this.remove(oldest)
        oldest.drop()
      }
    }
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#usedBytes -= entry.bytes
  }

  clear(): void {
    for (const entry of this.#entries) {
      this.remove(entry)
      entry.drop()
    }
  }
}

/** The budget of all caches of this isolate except the denylist. */
export const isolateBudget = new CacheBudget(ISOLATE_BYTES)

/** A cache of values by key. The size of its entries counts towards a budget that several caches share. */
export class MemoryCache<Value> {
  readonly #entries = new Map<string, Entry & { value: Value }>()
  readonly #maxEntryBytes: number
  readonly #budget: CacheBudget

  /** `maxEntryBytes`: larger values are not stored. */
  constructor(maxEntryBytes: number, budget = isolateBudget) {
    this.#maxEntryBytes = maxEntryBytes
    this.#budget = budget
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.referenced = true
    return entry.value
  }

  /** Stores `value` with a size of `bytes`; key and overhead are added. A value that is too large is not stored. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    if (bytes > this.#maxEntryBytes) return
    const drop = () => void this.#entries.delete(key)
    const entry = { value, bytes: bytes + ENTRY_BYTES + 2 * key.length, referenced: false, drop }
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
