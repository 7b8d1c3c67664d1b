import type { CID } from 'multiformats/cid'
import { DENIED_KINDS, type DeniedKind } from '../../../contract/states.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { parseCid } from '../../../protocol/cid.ts'
import { unavailable } from '../../platform/http/errors.ts'
import type { DeniedChange } from './denied.ts'
import { cidDigest, itemDigest } from './denied-value.ts'
import type { ImportedList } from './imported-list.ts'
import { KeySet } from './key-set.ts'

/** What a route asks of the denylist. */
export interface Denylist {
  /** Increases with every change: a result for this version remains valid until it increases. */
  readonly version: number
  /** Whether `value` (lowercase hex txid, CID in any base, object id) may not be served. */
  has(kind: DeniedKind, value: string | CID): boolean
  /** Whether what is at `path` (segments joined by slashes) below `root` may not be served, as that path. */
  hasPath(root: CID, path: string): boolean
  /** Whether a name under `/ipns/`, as it is written canonically, may not be served. */
  hasName(name: string): boolean
}

/** Up to this age (ms) an isolate uses its list without a check for changes; above it, it checks while it answers. */
const FRESH = 15_000
/** Above this age (ms) it checks before it answers, so that a change is active everywhere within a minute. */
const USABLE = 45_000

const DBL_SHA2_256 = 0x56

/** Begins the line of {@link Snapshot.dump} that names the list of others. */
const IMPORT = 'import'

/** The denylist in memory: follows the table by `seq`, so that only changes are ever read. */
export class Snapshot implements Denylist {
  #sets = emptySets()
  /** Chosen at random, so that nobody can make two digests, or another one, with the same key; 0 until then. */
  #factor = 0n
  #generation: number
  #imported: ImportedList | undefined
  #wanted: string | undefined
  #seq = 0
  #asOf: number | undefined
  #expiredAt = 0

  /** A list that is read again counts as a new generation: its versions differ from all earlier ones. */
  constructor(before?: Snapshot) {
    this.#generation = before ? before.#generation + 1 : 0
    if (before) [this.#imported, this.#wanted] = [before.#imported, before.#wanted]
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
    if (kind === 'cid') {
      if (this.#seq === 0 && this.#wanted === undefined) return false
      const cid = typeof value === 'string' ? parseCid(value) : value
      if (cid === undefined) return false
      return (
        (this.#seq > 0 && (set.has(this.#keyOf(cidDigest(cid))) || this.#hasTransaction(cid))) ||
        this.#list()?.hasCid(cid) === true
      )
    }
    if (this.#seq === 0) return false
    const id = String(value)
    return set.has(this.#keyOf(kind === 'item' ? itemDigest(id) : id))
  }

  hasPath(root: CID, path: string): boolean {
    return this.#list()?.hasPath(root, path) === true
  }

  hasName(name: string): boolean {
    return this.#list()?.hasName(name) === true
  }

  /** The bucket's object with the active imported list; `undefined` if there is none. */
  get wanted(): string | undefined {
    return this.#wanted
  }

  /** Whether that list is still to be read. */
  get lacksImport(): boolean {
    return this.#wanted !== this.#imported?.name
  }

  /** Sets the active imported list, or none; until it is read, the previous one is used. */
  want(name: string | undefined): void {
    this.#wanted = name
    if (name === undefined && this.#imported) this.take(undefined)
  }

  /** Asks this list of others from now on. */
  take(list: ImportedList | undefined): void {
    this.#imported = list
    this.#generation++
  }

  /** @throws {AppError} 503 if there is an imported list that was not read yet: what it denies is unknown. */
  #list(): ImportedList | undefined {
    if (this.#wanted === undefined || this.#imported) return this.#imported
    throw unavailable(
      'denylist_unavailable',
      'The denylist cannot be read right now, so nothing is served. Try again in a minute.',
    )
  }

  /** Multiply-shift (Dietzfelbinger et al., 1997) of a digest in hex: two have the same key once in 2^63. */
  #keyOf(digest: string): bigint {
    if (this.#factor === 0n) this.#factor = hexNumber(toHex(crypto.getRandomValues(new Uint8Array(32)))) | 1n
    return BigInt.asUintN(256, hexNumber(digest) * this.#factor) >> 192n
  }

  /** A transaction has a CID too: the double SHA-256 of which its txid is the reverse. */
  #hasTransaction({ multihash }: CID): boolean {
    if (multihash.code !== DBL_SHA2_256 || multihash.digest.length !== 32) return false
    return this.#sets.txid.has(this.#keyOf(toHex(multihash.digest.toReversed())))
  }

  /** Applies changes in order of `seq`; known ones are skipped, because two reads may overlap. */
  apply(changes: readonly DeniedChange[]): void {
    for (const { kind, digest, lifted, seq } of changes) {
      if (seq <= this.#seq) continue
      this.#sets[kind].set(this.#keyOf(digest), !lifted)
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

  /** The input of {@link restore}: a line for the last change, then one for each entry. */
  dump(): string {
    const lines = [`${this.#seq} ${this.#factor}`, ...(this.#wanted === undefined ? [] : [`${IMPORT} ${this.#wanted}`])]
    for (const kind of DENIED_KINDS) for (const key of this.#sets[kind]) lines.push(`${kind} ${key}`)
    return lines.join('\n')
  }

  /** Loads an earlier snapshot of `asOf` (ms), unless this one is newer. */
  restore(dump: string, asOf: number): void {
    const [first = '', ...lines] = dump.split('\n')
    const [, last = '', factor = ''] = /^(\d+) (\d+)$/.exec(first) ?? []
    const seq = Number(last)
    if (factor === '' || !Number.isSafeInteger(seq) || seq < this.#seq || this.#asOf !== undefined) return
    // Keys of another factor are of no use; all that they are of is in the dump.
    this.#sets = emptySets()
    this.#factor = BigInt(factor)
    for (const line of lines) {
      const [name, value = ''] = line.split(' ')
      if (name === IMPORT) this.#wanted = value
      const kind = DENIED_KINDS.find((candidate) => candidate === name)
      if (kind && /^\d{1,20}$/.test(value)) this.#sets[kind].set(BigInt(value), true)
    }
    this.#seq = seq
    this.#asOf = asOf
  }
}

function emptySets(): Record<DeniedKind, KeySet> {
  return { txid: new KeySet(), cid: new KeySet(), item: new KeySet() }
}

function hexNumber(hex: string): bigint {
  return BigInt(`0x${hex}`)
}
