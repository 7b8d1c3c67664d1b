/** Values by key within a budget of bytes, least recently used first out. */
export class MemoryCache<Value> {
  readonly #entries = new Map<string, { value: Value; bytes: number }>()
  readonly #budget: number
  readonly #largest: number
  #used = 0

  /** `budget` and `largest`, the most one entry may take, in bytes. */
  constructor(budget: number, largest: number) {
    this.#budget = budget
    this.#largest = largest
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // A Map keeps insertion order: the first key is the one not used for longest.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps `value`, counted as `bytes`; one too large for the cache is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    if (bytes > this.#largest) return
    this.#entries.set(key, { value, bytes })
    this.#used += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#used <= this.#budget) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#used -= entry.bytes
    this.#entries.delete(key)
  }
}
