import { createHash, randomUUID } from 'node:crypto'
import { isRecord } from '../../client/http/parse-json.ts'
import type { StateStore } from '../../client/stores/state-store.ts'
import type { PaymentRequest } from '../../client/types.ts'

/** Items that are paid together, and the progress of that. */
export interface PaymentGroup {
  ids: readonly string[]
  /** The current attempt: its `Idempotency-Key`, the limit for the balance, and its start (ms since 1970). */
  attempt: { key: string; most: string | undefined; begunAt: number } | undefined
  /** The request that the service returned for the attempt. */
  request: PaymentRequest | undefined
  paid: boolean
}

type Entry =
  | { kind: 'try'; ids: readonly string[]; key: string; most: string | undefined; begunAt: number }
  | { kind: 'request'; ids: readonly string[]; request: PaymentRequest }
  | { kind: 'paid'; ids: readonly string[] }
  | { kind: 'dropped'; ids: readonly string[] }

/**
 * The payments that were requested for an order. Each attempt is recorded before its request, so that nothing is paid
 * twice after a kill.
 */
export class PaymentJournal {
  readonly #store: StateStore
  readonly #key: string
  readonly #groups = new Map<string, PaymentGroup>()

  private constructor(store: StateStore, key: string) {
    this.#store = store
    this.#key = key
  }

  static async open(store: StateStore, key: string): Promise<PaymentJournal> {
    const journal = new PaymentJournal(store, key)
    for (const record of await store.read(key)) journal.#apply(readEntry(record))
    return journal
  }

  /** The items in groups of `size`: those that were requested before in the same groups, then the others. */
  groups(ids: readonly string[], size: number): PaymentGroup[] {
    const wanted = new Set(ids)
    const known = [...this.#groups.values()].filter((group) => group.ids.every((id) => wanted.has(id)))
    const taken = new Set(known.flatMap((group) => group.ids))
    const rest = ids.filter((id) => !taken.has(id))
    for (let start = 0; start < rest.length; start += size) {
      known.push({ ids: rest.slice(start, start + size), attempt: undefined, request: undefined, paid: false })
    }
    return known
  }

  /**
   * The key of the next attempt, which allows the balance `most` coins: the key of an unanswered attempt with the same
   * limit, else a new key, which is recorded before it is used.
   */
  async beginTry(ids: readonly string[], most: string | undefined, now: number): Promise<string> {
    const group = this.#groups.get(ids.join())
    const open = group && !group.request && !group.paid ? group.attempt : undefined
    // The service remembers a key for 24 hours, with the body of its request.
    if (open && open.most === most && now - open.begunAt < 23 * 3_600_000) return open.key
    const key = randomUUID()
    await this.#write({ kind: 'try', ids, key, most, begunAt: now })
    return key
  }

  async answered(ids: readonly string[], request: PaymentRequest): Promise<void> {
    await this.#write({ kind: 'request', ids, request })
  }

  async paid(ids: readonly string[]): Promise<void> {
    await this.#write({ kind: 'paid', ids })
  }

  /** Forgets a group: its items will be requested in another one. */
  async drop(ids: readonly string[]): Promise<void> {
    await this.#write({ kind: 'dropped', ids })
  }

  async #write(entry: Entry): Promise<void> {
    await this.#store.append(this.#key, JSON.stringify(entry))
    this.#apply(entry)
  }

  #apply(entry: Entry | undefined): void {
    if (!entry) return
    const name = entry.ids.join()
    const group = this.#groups.get(name)
    const { ids } = entry
    if (entry.kind === 'dropped') this.#groups.delete(name)
    else if (entry.kind === 'try') {
      const attempt = { key: entry.key, most: entry.most, begunAt: entry.begunAt }
      this.#groups.set(name, { ids, attempt, request: undefined, paid: false })
    } else if (entry.kind === 'request') {
      this.#groups.set(name, { ids, attempt: group?.attempt, request: entry.request, paid: false })
    } else this.#groups.set(name, { ids, attempt: group?.attempt, request: group?.request, paid: true })
  }
}

/** A record; `undefined` if it was cut off or if another version wrote it. */
function readEntry(record: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(record)
    if (!isRecord(value) || !Array.isArray(value.ids)) return undefined
    const ids = value.ids.map(String)
    const { kind, key, begunAt } = value
    const most = typeof value.most === 'string' ? value.most : undefined
    if (kind === 'paid' || kind === 'dropped') return { kind, ids }
    if (kind === 'try' && typeof key === 'string' && typeof begunAt === 'number')
      return { kind, ids, key, most, begunAt }
    if (kind === 'request' && isStoredRequest(value.request)) return { kind, ids, request: value.request }
  } catch {
    // Cut off by a kill, so nothing relied on it.
  }
  return undefined
}

function isStoredRequest(value: unknown): value is PaymentRequest {
  if (!isRecord(value)) return false
  const { address, amount, received, uri, expiresAt } = value
  return [address, amount, received, uri].every((text) => typeof text === 'string') && typeof expiresAt === 'number'
}

/** Key of the payments that belong to an order, in the same store. */
export function paymentKey(order: string): string {
  return createHash('sha256').update(`payments of ${order}`).digest('hex')
}
