const WORDS = 8
const EMPTY = 0
const LIVE = 1
const GONE = 2

/**
 * An exact set of 32-byte digests, written as 64 lowercase hex digits: a hash table in two flat arrays, 33 bytes
 * a slot, where a `Set` of the same strings takes over 100 bytes an entry.
 */
export class DigestSet {
  #words = new Uint32Array(16 * WORDS)
  #states = new Uint8Array(16)
  #used = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  has(digest: string): boolean {
    return this.#size > 0 && this.#states[this.#find(digest)] === LIVE
  }

  add(digest: string): void {
    // Slots of removed entries count: a table full of them would make every search a walk through all of it.
    if ((this.#used + 1) * 3 > this.#states.length * 2) this.#grow()
    const slot = this.#find(digest)
    if (this.#states[slot] === LIVE) return
    if (this.#states[slot] === EMPTY) {
      this.#used++
      for (let i = 0; i < WORDS; i++) this.#words[slot * WORDS + i] = wordAt(digest, i)
    }
    this.#states[slot] = LIVE
    this.#size++
  }

  delete(digest: string): void {
    const slot = this.#find(digest)
    if (this.#states[slot] !== LIVE) return
    this.#states[slot] = GONE
    this.#size--
  }

  /** Every digest, in no order. */
  *[Symbol.iterator](): Generator<string> {
    for (const [slot, state] of this.#states.entries()) {
      if (state !== LIVE) continue
      let digest = ''
      for (const word of this.#words.subarray(slot * WORDS, (slot + 1) * WORDS)) {
        digest += word.toString(16).padStart(8, '0')
      }
      yield digest
    }
  }

  /** The slot that holds `digest`, live or gone, or the empty one where it would go. */
  #find(digest: string): number {
    const mask = this.#states.length - 1
    let slot = mix(wordAt(digest, 0), wordAt(digest, 1), wordAt(digest, 2)) & mask
    while (this.#states[slot] !== EMPTY && !this.#matches(slot, digest)) slot = (slot + 1) & mask
    return slot
  }

  #matches(slot: number, digest: string): boolean {
    for (let i = 0; i < WORDS; i++) if (this.#words[slot * WORDS + i] !== wordAt(digest, i)) return false
    return true
  }

  #grow(): void {
    const [words, states] = [this.#words, this.#states]
    let capacity = 16
    while (capacity < this.#size * 3) capacity *= 2
    this.#words = new Uint32Array(capacity * WORDS)
    this.#states = new Uint8Array(capacity)
    this.#used = this.#size
    const mask = capacity - 1
    for (let old = 0; old < states.length; old++) {
      if (states[old] !== LIVE) continue
      const entry = words.subarray(old * WORDS, (old + 1) * WORDS)
      let slot = mix(entry[0] ?? 0, entry[1] ?? 0, entry[2] ?? 0) & mask
      while (this.#states[slot] !== EMPTY) slot = (slot + 1) & mask
      this.#words.set(entry, slot * WORDS)
      this.#states[slot] = LIVE
    }
  }
}

function wordAt(digest: string, index: number): number {
  return Number.parseInt(digest.slice(index * 8, index * 8 + 8), 16)
}

// Twelve bytes take part: an object id has its random bytes behind four of time.
function mix(a: number, b: number, c: number): number {
  const product = Math.imul(a ^ b ^ c, 0x9e3779b1)
  return (product ^ (product >>> 15)) >>> 0
}
