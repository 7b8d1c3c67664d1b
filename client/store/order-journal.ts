import { isRecord, parseJson } from '../http/parse-json.ts'
import type { StateStore } from '../stores/state-store.ts'

/** Progress of one file of an order. */
export interface FileState {
  id: string
  chunkSize: number
  chunks: number
  /** `begun`: some chunks may have arrived; `sent`: all have arrived; `merged`: it is unpaid or further. */
  step: 'created' | 'begun' | 'sent' | 'merged'
}

/** The state of an order, read from its journal. */
export interface OrderState {
  /** Random; every `Idempotency-Key` of this order begins with it. */
  id: string
  /** Unix seconds. */
  begunAt: number
  files: Map<number, FileState>
  /** Folder ids by path; the order's own folder has the path ''. */
  folders: Map<string, string>
  /** Indexes of files that the service linked from the caller's stored items. */
  linked: Set<number>
  /** The item of the directory. */
  directory: string | undefined
  /** Items whose payment was requested together, by their ids. Each attempt has a key of its own. */
  payments: Map<string, PaymentState>
  /** Items with nothing left to pay. */
  paid: Set<string>
  /** Indexes of files that were stored before the order began; 0 for a whole directory. */
  known: Set<number>
  /** Items that were created again because the service no longer had them. */
  lost: number
}

interface PaymentState {
  ids: readonly string[]
  /** Attempts begun. */
  attempts: number
  /** Address of the request that the service returned. */
  address?: string
}

type FileEntry = readonly [index: number, id: string, chunkSize: number, chunks: number]

/** What sending and merging record. */
export type SendingEntry =
  | { kind: 'folder'; path: string; id: string }
  /** The result of one request, recorded as a whole. */
  | { kind: 'files'; entries: readonly FileEntry[] }
  | { kind: 'step'; files: readonly number[]; step: 'begun' | 'sent' | 'merged' }
  | { kind: 'lost'; index: number }
  | { kind: 'directory'; id: string; known?: boolean }

type Entry =
  | SendingEntry
  | { kind: 'order'; id: string; begunAt: number }
  | { kind: 'linked'; files: number[] }
  /** Items that existed before, and those of them with nothing left to pay. */
  | { kind: 'known'; entries: readonly FileEntry[]; paid: readonly string[] }
  | { kind: 'payment' | 'paid'; ids: readonly string[] }
  | { kind: 'requested'; ids: readonly string[]; address: string }

/**
 * Where the progress of an order is recorded while it is sent. Everything that the service has acknowledged is recorded
 * before the next request that depends on it: each `await` may be the last.
 */
export interface Journal {
  readonly state: Readonly<Pick<OrderState, 'id' | 'folders' | 'files'>>
  /** The `Idempotency-Key` of a request that creates something: the same until that is recorded or lost. */
  keyOf(request: string): string
  write(entry: SendingEntry): Promise<void>
}

/** The stored state of an order; `undefined` if there is none. */
export async function readOrder(store: StateStore, key: string): Promise<OrderState | undefined> {
  const entries = (await store.read(key)).flatMap((record) => readEntry(record) ?? [])
  const begin = entries.find((entry) => entry.kind === 'order')
  if (!begin) return undefined
  const state = emptyState(begin)
  for (const entry of entries) apply(state, entry)
  return state
}

function emptyState({ id, begunAt }: { id: string; begunAt: number }): OrderState {
  return {
    id,
    begunAt,
    files: new Map(),
    folders: new Map(),
    linked: new Set(),
    directory: undefined,
    payments: new Map(),
    paid: new Set(),
    known: new Set(),
    lost: 0,
  }
}

/** The journal of one order. Each event is appended as one record. */
export class OrderJournal implements Journal {
  readonly state: OrderState = emptyState({ id: '', begunAt: 0 })
  readonly #store: StateStore
  readonly #key: string
  readonly #now: () => number

  private constructor(store: StateStore, key: string, now: () => number) {
    this.#store = store
    this.#key = key
    this.#now = now
  }

  /** Resumes the order that is stored under `key`, or begins one. `anew` always begins one. */
  static async open(store: StateStore, key: string, now: () => number, anew = false): Promise<OrderJournal> {
    const journal = new OrderJournal(store, key, now)
    const known = anew ? undefined : await readOrder(store, key)
    if (known) Object.assign(journal.state, known)
    else await journal.begin()
    return journal
  }

  /** Begins the order again and forgets its previous state. */
  async begin(): Promise<void> {
    const begunAt = Math.floor(this.#now() / 1000)
    await this.write({ kind: 'order', id: crypto.randomUUID(), begunAt })
  }

  /** Items that are created again have another count of lost ones. */
  keyOf(request: string): string {
    const { id, lost } = this.state
    return `${id}-${request}${lost > 0 ? `-${lost}` : ''}`
  }

  async write(entry: Entry): Promise<void> {
    await this.#store.append(this.#key, JSON.stringify(entry))
    apply(this.state, entry)
  }
}

function apply(state: OrderState, entry: Entry): void {
  switch (entry.kind) {
    case 'order':
      // A second record of this kind begins the order again.
      Object.assign(state, emptyState(entry))
      break
    case 'folder':
      state.folders.set(entry.path, entry.id)
      break
    case 'linked':
      for (const index of entry.files) state.linked.add(index)
      break
    case 'files':
      for (const [index, id, chunkSize, chunks] of entry.entries) {
        state.files.set(index, { id, chunkSize, chunks, step: 'created' })
      }
      break
    case 'step':
      for (const index of entry.files) {
        const file = state.files.get(index)
        if (file) file.step = entry.step
      }
      break
    case 'lost':
      state.files.delete(entry.index)
      state.known.delete(entry.index)
      state.lost++
      break
    case 'directory':
      state.directory = entry.id
      if (entry.known) state.known.add(0)
      break
    case 'known':
      for (const [index, id, chunkSize, chunks] of entry.entries) {
        state.files.set(index, { id, chunkSize, chunks, step: 'merged' })
        state.known.add(index)
      }
      for (const id of entry.paid) state.paid.add(id)
      break
    case 'paid':
      for (const id of entry.ids) state.paid.add(id)
      break
    case 'payment': {
      const { ids } = entry
      const before = state.payments.get(ids.join())
      state.payments.set(ids.join(), { ...before, ids, attempts: (before?.attempts ?? 0) + 1 })
      break
    }
    case 'requested': {
      const { ids, address } = entry
      state.payments.set(ids.join(), { attempts: 1, ...state.payments.get(ids.join()), ids, address })
      break
    }
  }
}

/** A record; `undefined` if another version wrote it or if it was cut off. */
function readEntry(record: string): Entry | undefined {
  let value: unknown
  try {
    value = parseJson(record)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { kind, id, ids, index, path, step, begunAt, files, entries, known, paid, address } = value
  if (kind === 'order' && typeof id === 'string' && typeof begunAt === 'number') return { kind, id, begunAt }
  if (kind === 'folder' && typeof path === 'string' && typeof id === 'string') return { kind, path, id }
  if (kind === 'directory' && typeof id === 'string') return { kind, id, known: known === true }
  if (kind === 'known' && Array.isArray(entries) && Array.isArray(paid)) {
    return { kind, entries: entries.flatMap(readFileEntry), paid: paid.filter((one) => typeof one === 'string') }
  }
  if (kind === 'linked' && Array.isArray(files)) return { kind, files: files.filter((one) => typeof one === 'number') }
  if ((kind === 'payment' || kind === 'paid') && Array.isArray(ids)) {
    return { kind, ids: ids.filter((one) => typeof one === 'string') }
  }
  if (kind === 'requested' && Array.isArray(ids) && typeof address === 'string') {
    return { kind, ids: ids.filter((one) => typeof one === 'string'), address }
  }
  if (kind === 'files' && Array.isArray(entries)) return { kind, entries: entries.flatMap(readFileEntry) }
  if (kind === 'step' && Array.isArray(files) && (step === 'begun' || step === 'sent' || step === 'merged')) {
    return { kind, step, files: files.filter((one) => typeof one === 'number') }
  }
  if (typeof index !== 'number') return undefined
  return kind === 'lost' ? { kind, index } : undefined
}

function readFileEntry(entry: unknown): FileEntry[] {
  if (!Array.isArray(entry)) return []
  const [index, id, chunkSize, chunks]: unknown[] = entry
  if (typeof index !== 'number' || typeof id !== 'string') return []
  return typeof chunkSize === 'number' && typeof chunks === 'number' ? [[index, id, chunkSize, chunks]] : []
}
