interface Entry<Value> {
  value: Value
  bytes: number
  /** Asked for since it was put where it stands. */
  used: boolean
}

/** Values by key within a budget of bytes; what is not asked for goes first (second chance: asking moves nothing). */
export class MemoryCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
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
    entry.used = true
    return entry.value
  }

  /** Keeps `value`, counted as `bytes`; one too large for the cache is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    if (bytes > this.#largest) return
    this.#entries.set(key, { value, bytes, used: false })
    this.#used += bytes
    // A Map keeps insertion order, and gives what is put in again during the walk at its end.
    for (const [oldest, entry] of this.#entries) {
      if (this.#used <= this.#budget) break
      this.#entries.delete(oldest)
      if (!entry.used) this.#used -= entry.bytes
      else this.#entries.set(oldest, { ...entry, used: false })
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#used = 0
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#used -= entry.bytes
    this.#entries.delete(key)
  }
}
