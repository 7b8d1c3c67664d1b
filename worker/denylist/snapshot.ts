import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'
import { parseCid } from '../../protocol/cid.ts'
import { unavailable } from '../http/errors.ts'
import type { DeniedChange } from '../storage/sites/denied.ts'
import { DENIED_KINDS, type DeniedKind } from '../storage/sites/denied.ts'
import { cidDigest, itemDigest } from './denied-value.ts'
import { DigestSet } from './digest-set.ts'
import type { ImportedList } from './imported-list.ts'

/** What a route asks of the denylist. */
export interface Denylist {
  /** Moves with every change: whoever remembers the version they asked at need not ask again before it moves. */
  readonly version: number
  /** Whether `value` (lowercase hex txid, CID in any base, object id) may not be served. */
  has(kind: DeniedKind, value: string | CID): boolean
  /** Whether what is at `path` (segments joined by slashes) below `root` may not be served, as that path. */
  hasPath(root: CID, path: string): boolean
  /** Whether a name under `/ipns/`, as it is written canonically, may not be served. */
  hasName(name: string): boolean
}

/** An isolate that used the list this recently (ms) goes on with what it has; then it also looks for changes. */
const FRESH = 15_000
/** Past this (ms) it looks before it answers, so that a change is in force everywhere well within a minute. */
const USABLE = 45_000

const DBL_SHA2_256 = 0x56

/** Begins the line of {@link Snapshot.dump} that names the list of others. */
const IMPORT = 'import'

/** The denylist in memory: follows the table by `seq`, so that only changes are ever read. */
export class Snapshot implements Denylist {
  readonly #sets = { txid: new DigestSet(), cid: new DigestSet(), item: new DigestSet() }
  #generation: number
  #imported: ImportedList | undefined
  #wanted: string | undefined
  #seq = 0
  #asOf: number | undefined
  #expiredAt = 0

  /** A list that is read anew counts as a new generation: its versions are none that were seen before. */
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
        (this.#seq > 0 && (set.has(cidDigest(cid)) || this.#hasTransaction(cid))) || this.#list()?.hasCid(cid) === true
      )
    }
    if (this.#seq === 0) return false
    const id = String(value)
    return set.has(kind === 'item' ? itemDigest(id) : id)
  }

  hasPath(root: CID, path: string): boolean {
    return this.#list()?.hasPath(root, path) === true
  }

  hasName(name: string): boolean {
    return this.#list()?.hasName(name) === true
  }

  /** The object in the bucket that holds the list of others which is in force; `undefined` where there is none. */
  get wanted(): string | undefined {
    return this.#wanted
  }

  /** Whether that list is still to be read. */
  get lacksImport(): boolean {
    return this.#wanted !== this.#imported?.name
  }

  /** Another list of others is in force, or none; until it is read, the one before is asked. */
  want(name: string | undefined): void {
    this.#wanted = name
    if (name === undefined && this.#imported) this.take(undefined)
  }

  /** Asks this list of others from now on. */
  take(list: ImportedList | undefined): void {
    this.#imported = list
    this.#generation++
  }

  /** @throws {AppError} 503 where there is a list of others, and none was read yet: what it denies is not known. */
  #list(): ImportedList | undefined {
    if (this.#wanted === undefined || this.#imported) return this.#imported
    throw unavailable('denylist_unavailable', 'What may be served cannot be looked up right now.')
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
    const lines = [String(this.#seq), ...(this.#wanted === undefined ? [] : [`${IMPORT} ${this.#wanted}`])]
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
      if (name === IMPORT) this.#wanted = digest
      const kind = DENIED_KINDS.find((candidate) => candidate === name)
      if (kind && digest.length === 64) this.#sets[kind].add(digest)
    }
    this.#seq = seq
    this.#asOf = asOf
  }
}
