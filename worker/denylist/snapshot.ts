import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'
import { parseCid } from '../../protocol/cid.ts'
import type { DeniedChange } from '../storage/sites/denied.ts'
import { DENIED_KINDS, type DeniedKind } from '../storage/sites/denied.ts'
import { cidDigest, itemDigest } from './denied-value.ts'
import { DigestSet } from './digest-set.ts'

/** What a route asks of the denylist. */
export interface Denylist {
  /** Moves with every change: whoever remembers the version they asked at need not ask again before it moves. */
  readonly version: number
  /** Whether `value` (lowercase hex txid, CID in any base, object id) may not be served. */
  has(kind: DeniedKind, value: string | CID): boolean
}

/** An isolate that used the list this recently (ms) goes on with what it has; then it also looks for changes. */
const FRESH = 15_000
/** Past this (ms) it looks before it answers, so that a change is in force everywhere well within a minute. */
const USABLE = 45_000

const DBL_SHA2_256 = 0x56

/** The denylist in memory: follows the table by `seq`, so that only changes are ever read. */
export class Snapshot implements Denylist {
  readonly #sets = { txid: new DigestSet(), cid: new DigestSet(), item: new DigestSet() }
  readonly #generation: number
  #seq = 0
  #asOf: number | undefined
  #expiredAt = 0

  /** A list that is read anew counts as a new generation: its versions are none that were seen before. */
  constructor(generation = 0) {
    this.#generation = generation
  }

  get version(): number {
    return this.#generation * 2 ** 40 + this.#seq
  }

  get generation(): number {
    return this.#generation
  }

  /** The last change that is here. */
  get seq(): number {
    return this.#seq
  }

  get asOf(): number | undefined {
    return this.#asOf
  }

  /** How far what is here can be trusted at `now` (ms): asOf is when the last complete reading began. */
  age(now: number): 'fresh' | 'aging' | 'stale' | 'empty' {
    if (this.#asOf === undefined) return 'empty'
    const age = now - this.#asOf
    return age < FRESH ? 'fresh' : age < USABLE ? 'aging' : 'stale'
  }

  has(kind: DeniedKind, value: string | CID): boolean {
    const set = this.#sets[kind]
    if (this.#seq === 0) return false
    if (kind === 'cid') {
      const cid = typeof value === 'string' ? parseCid(value) : value
      return cid !== undefined && (set.has(cidDigest(cid)) || this.#hasTransaction(cid))
    }
    const id = String(value)
    return set.has(kind === 'item' ? itemDigest(id) : id)
  }

  /** A transaction has a CID too: the double SHA-256 of which its txid is the reverse. */
  #hasTransaction({ multihash }: CID): boolean {
    if (multihash.code !== DBL_SHA2_256 || multihash.digest.length !== 32) return false
    return this.#sets.txid.has(toHex(multihash.digest.toReversed()))
  }

  /** Takes in changes in order of `seq`; those already known are passed over, as two readers may overlap. */
  apply(changes: readonly DeniedChange[]): void {
    for (const { kind, digest, lifted, seq } of changes) {
      if (seq <= this.#seq) continue
      if (lifted) this.#sets[kind].delete(digest)
      else this.#sets[kind].add(digest)
      this.#seq = seq
    }
  }

  /** Every change committed before `asOf` (ms) is here. */
  complete(asOf: number): void {
    if (asOf >= this.#expiredAt) this.#asOf = Math.max(this.#asOf ?? 0, asOf)
  }

  /** A change was made here before `now` (ms): the next question reads it first. */
  expire(now: number): void {
    this.#expiredAt = now
    if (this.#asOf !== undefined) this.#asOf = 0
  }

  /** What {@link restore} takes: a line for the last change, then one for each entry. */
  dump(): string {
    const lines = [String(this.#seq)]
    for (const kind of DENIED_KINDS) for (const digest of this.#sets[kind]) lines.push(`${kind} ${digest}`)
    return lines.join('\n')
  }

  /** Takes in what an earlier snapshot was as of `asOf` (ms), unless more is known already. */
  restore(dump: string, asOf: number): void {
    const [first = '', ...lines] = dump.split('\n')
    const seq = Number(first)
    if (!Number.isSafeInteger(seq) || seq < this.#seq || this.#asOf !== undefined) return
    for (const line of lines) {
      const [name, digest = ''] = line.split(' ')
      const kind = DENIED_KINDS.find((candidate) => candidate === name)
      if (kind && digest.length === 64) this.#sets[kind].add(digest)
    }
    this.#seq = seq
    this.#asOf = asOf
  }
}
