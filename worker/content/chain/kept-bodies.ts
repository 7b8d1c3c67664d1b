import type { ByteRange } from '../../../contract/byte-range.ts'
import { type MemoryBudget, MemoryShare } from '../../platform/flow/memory-budget.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import { type ContentRecord, partsOf, WHOLE_BYTES } from './content-record.ts'

/** What is larger is read from its tier each time. */
const MOST_BYTES = 12 << 20
const STEP_BYTES = 256 << 10

/** A content in memory. Its bytes are gone when it was given up and its last reader has ended. */
class Kept {
  readonly share: MemoryShare
  readonly form: ContentRecord['form']
  #bytes: Uint8Array | undefined
  #readers = 0
  #isGivenUp = false

  constructor(bytes: Uint8Array, form: ContentRecord['form'], share: MemoryShare) {
    this.#bytes = bytes
    this.form = form
    this.share = share
  }

  giveUp(): void {
    this.#isGivenUp = true
    this.#freeUnread()
  }

  /** Its bytes in steps, the same ones for each reader; `undefined` where they are gone. */
  read({ start, end }: ByteRange): Generator<Uint8Array> | undefined {
    const bytes = this.#bytes
    return bytes && this.#steps(bytes, start, end)
  }

  /** A copy of a range that is as short as a content that is in memory whole. */
  copy({ start, end }: ByteRange): Uint8Array | undefined {
    return end - start < WHOLE_BYTES ? this.#bytes?.slice(start, end + 1) : undefined
  }

  *#steps(bytes: Uint8Array, start: number, end: number): Generator<Uint8Array> {
    this.#readers++
    try {
      for (let at = start; at <= end; at += STEP_BYTES) yield bytes.subarray(at, Math.min(at + STEP_BYTES, end + 1))
    } finally {
      this.#readers--
      this.#freeUnread()
    }
  }

  #freeUnread(): void {
    if (!this.#isGivenUp || this.#readers > 0 || !this.#bytes) return
    this.#bytes = undefined
    this.share.release()
  }
}

/**
 * Contents that are too large for the cache of whole records, from their second request on: a scan, which asks for each
 * once, puts nothing out. All readers share one buffer, which counts until the last of them ends. By CPU a request, 12 MB are 1.7 of
 * a bare Worker's so, and 0.77 from the edge cache; 3 MB only 0.57, and 0.54: most of it is the runtime's stream, whose
 * larger steps changed nothing. Without an edge cache, as on a server of one's own, the bucket's object is not asked.
 */
export class KeptBodies {
  readonly #budget: MemoryBudget
  readonly #kept = new Map<string, Kept>()
  /** Names that were requested once. */
  readonly #seen = new MemoryCache<true>(0)

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** The content of a name. `again` reads it from its tier, where it is given up before it is read. */
  get(name: string, again: () => Promise<ContentRecord | undefined>): ContentRecord | undefined {
    const kept = this.#kept.get(name)
    if (!kept) return undefined
    this.#budget.use(kept.share)
    async function* read(range: ByteRange): AsyncGenerator<Uint8Array> {
      const steps = kept?.read(range)
      if (steps) return yield* steps
      const record = await again()
      if (!record) throw new Error(`${name} was given up and is in no tier.`)
      yield* record.body instanceof Uint8Array
        ? [record.body.subarray(range.start, range.end + 1)]
        : record.body.read(range)
    }
    const copy = (range: ByteRange) => kept.copy(range)
    return { body: { kind: 'file', size: kept.share.bytes, read, copy }, form: kept.form }
  }

  /** The record; what a reader of all of its body reads is kept, if it was requested before and there is room. */
  keepWhenRead(name: string, record: ContentRecord): ContentRecord {
    const { body } = record
    if (body instanceof Uint8Array || body.size > MOST_BYTES) return record
    if (!this.#seen.get(name)) {
      this.#seen.set(name, true, 0)
      return record
    }
    const read = (range: ByteRange) =>
      range.start === 0 && range.end === body.size - 1 ? this.#copied(name, { ...record, body }) : body.read(range)
    return { ...record, body: { ...body, read } }
  }

  async *#copied(name: string, record: ContentRecord & { body: SizedBody }): AsyncGenerator<Uint8Array> {
    const { size } = record.body
    let bytes: Uint8Array | undefined
    const share = new MemoryShare(this.#budget, { use: 'keep', client: undefined, bytes: size }, () => {
      const kept = this.#kept.get(name)
      if (kept?.share === share) {
        this.#kept.delete(name)
        kept.giveUp()
      } else if (bytes) {
        bytes = undefined
        share.release()
      }
    })
    if (!this.#kept.has(name) && this.#budget.keep(share)) bytes = new Uint8Array(size)
    let at = 0
    try {
      for await (const part of partsOf(record)) {
        bytes?.set(part, at)
        at += part.length
        yield part
      }
    } finally {
      if (bytes && at === size && !this.#kept.has(name)) this.#kept.set(name, new Kept(bytes, record.form, share))
      else if (bytes) share.release()
    }
  }

  /** Gives up all of it. */
  clear(): void {
    for (const { share } of [...this.#kept.values()]) share.lose()
  }
}
