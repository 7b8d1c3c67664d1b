import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../../protocol/bytes.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { itemsOf } from '../resources/items.ts'
import type { paymentsOf } from '../resources/payments.ts'
import type { sitesOf } from '../resources/sites.ts'
import type { StateStore } from '../stores/state-store.ts'
import type { Estimate, Item, PaymentRequest, Profile, SiteProblems, StorageTarget } from '../types.ts'
import { type Hasher, hashSource } from './byte-source.ts'
import { estimateFiles, type PriceTools } from './estimate-files.ts'
import { OrderJournal, type OrderState, readOrder } from './order-journal.ts'
import { checkPrice, payOrder } from './pay-order.ts'
import { foldersOfPlan, type PlannedFile, type PutFile, planFiles } from './put-plan.ts'
import { type FailedFile, type Upload, uploadOrder } from './upload.ts'

export interface PutOptions extends CallOptions {
  /** The storage target. */
  to: StorageTarget
  /** All files become one directory of this name, one item, one CID: on a chain a website in the item's transactions. */
  directory?: string | undefined
  /** Paths of folders that hold none of the files; a `directory` keeps them. */
  emptyFolders?: readonly string[] | undefined
  /** Id of a folder of the account that the order goes into. */
  folder?: string | undefined
  /** Links files that the caller's own stored items hold (directories on IPFS only): they are neither sent nor paid. */
  linkKnown?: boolean | undefined
  /**
   * Whether content of several transactions gets an index: one more transaction, by whose txid alone it is read. Left out: on
   * Nativecoin it does. What the account has stored before is not stored again for it.
   */
  index?: boolean | undefined
  /**
   * `'request'`, or left out: asks for a payment and leaves the balance alone. `'balance'`: the balance of the account pays
   * where it covers a request; it needs `maxFee`. `false`: uploads and asks for nothing.
   */
  pay?: 'request' | 'balance' | false | undefined
  /**
   * Most that the whole order may cost, in coins (`'0.001'`), fees of everyone included: a dearer one is refused with
   * `too_dear` before anything is made or sent, and again before it is paid.
   */
  maxFee?: string | undefined
  /** Stores the same content again, though it was stored before: what is known of the order is forgotten. */
  anew?: boolean | undefined
  /** Waits until everything is stored. A payment that is due must be made meanwhile: see `onPayment`. */
  wait?: boolean | undefined
  /** Checks and prices only: no request creates or moves anything. */
  dryRun?: boolean | undefined
  /**
   * Called with the files that are to be sent, before the first item is made; what it throws ends the order. With
   * `linkKnown` the others are linked by then.
   */
  beforeItems?(files: readonly { path: string; mimetype: string; size: number }[]): void | Promise<void>
  /**
   * Called with what is wrong with the `_headers` and `_redirects` of a directory, before anything is made. Where a site of
   * it would answer with an error, the order ends with `site_fails`, unless this answers `true`.
   */
  onSiteProblems?(found: SiteProblems): boolean | Promise<boolean>
  onProgress?(progress: PutProgress): void
  /** Called with each request that is to be paid. */
  onPayment?(request: PaymentRequest): void
}

/**
 * How far an order is. Counts of 'writing' are transactions, of 'merging' and 'paying' items, of the others bytes; what a chain
 * may take only compressed is 'compressing' before it is priced.
 */
export interface PutProgress {
  phase: 'compressing' | 'hashing' | 'sending' | 'merging' | 'paying' | 'writing'
  done: number
  total: number
}

export interface PutResult {
  /** Key of the order in the state store. */
  order: string
  /** Those that were answered in this run; where more than 100 were merged by earlier ones, these are only in `ids`. */
  items: Item[]
  /** Ids of everything that is merged. */
  ids: string[]
  /** The same by path; a directory is one, by its name. */
  files: { path: string; id: string }[]
  failed: FailedFile[]
  /** Paths that the service took from the caller's stored items. */
  linked: string[]
  /** Paths of what the account had already when the order began: nothing of it was sent, or paid again. */
  known: string[]
  /** Whether nothing is left to pay. */
  paid: boolean
  /** What is to be paid. */
  payments: PaymentRequest[]
  /** What the files that are to be sent cost at most; `undefined` where none is, or that is known once they are merged. */
  estimate: Estimate | undefined
}

/** What `put` works with. */
export interface PutTools extends PriceTools {
  items: ReturnType<typeof itemsOf>
  folders: ReturnType<typeof foldersOf>
  payments: ReturnType<typeof paymentsOf>
  sites: Pick<ReturnType<typeof sitesOf>, 'problems'>
  watch(ids: readonly string[], options: CallOptions): AsyncIterable<Item>
  /** Names the API and the account, with its quotas where whoever asks may know them. */
  owner(signal: AbortSignal | undefined): Promise<{ identity: string; quotas: Profile['quotas'] | undefined }>
  state: StateStore
  createSha256: (() => Hasher) | undefined
  now: () => number
}

/**
 * Stores files: uploads, merges, asks for the payment and, if wanted, waits. The same call again goes on where it was,
 * and pays once: an order is known by its API, account, target and the SHA-256 of its files, never by path or date.
 * @throws {InvalidFilesError} before the first request; {HooklineError} `too_dear`; {ApiError}
 */
export async function put(tools: PutTools, files: readonly PutFile[], options: PutOptions): Promise<PutResult> {
  const { signal } = options
  checkPaying(options)
  const plan = await planOf(files, options)
  await checkDirectory(tools, plan, options)
  if (options.dryRun) {
    const estimate = await estimateOf(tools, plan, options)
    return {
      order: '',
      items: [],
      ids: [],
      files: [],
      failed: [],
      linked: [],
      known: [],
      paid: false,
      payments: [],
      estimate,
    }
  }
  const hashes = await hashAll(tools, plan, options)
  const { identity, quotas } = await tools.owner(signal)
  const order = orderKey(identity, plan, hashes, options)
  const unlock = await tools.state.lock?.(order)
  try {
    return await runOrder(tools, { order, plan, hashes, quotas }, options)
  } finally {
    await unlock?.()
  }
}

async function planOf(files: readonly PutFile[], { directory, emptyFolders }: PutOptions): Promise<PlannedFile[]> {
  const { mediaTypeOf } = await import('../../reader/media-type-of.ts')
  return planFiles(files, { directory: directory !== undefined, emptyFolders, mimetypeOf: mediaTypeOf })
}

/** @throws {HooklineError} `invalid_option` for money without a limit, or a limit that is no amount */
function checkPaying({ pay, maxFee }: PutOptions): void {
  if (pay === 'balance' && maxFee === undefined) {
    const message = "pay: 'balance' needs maxFee, the most that all of it may cost, in coins."
    throw new HooklineError('invalid_option', message)
  }
  if (maxFee !== undefined && !/^\d{1,12}(\.\d{1,8})?$/.test(maxFee)) {
    const message = "maxFee is a decimal number of coins as text, such as '0.001'."
    throw new HooklineError('invalid_option', message)
  }
}

interface Order {
  order: string
  plan: readonly PlannedFile[]
  hashes: readonly string[]
  quotas: Profile['quotas'] | undefined
}

/** Has what says how a site answers checked: a directory may be the version of one. */
async function checkDirectory(tools: PutTools, plan: readonly PlannedFile[], options: PutOptions): Promise<void> {
  const { directory, signal, onSiteProblems } = options
  if (directory === undefined || !plan.some(({ path }) => path === '_headers' || path === '_redirects')) return
  const { checkSiteFiles } = await import('./check-order.ts')
  await checkSiteFiles(tools.sites.problems, plan, onSiteProblems, { signal })
}

/** What files cost now, at most. */
async function estimateOf(
  tools: PutTools,
  files: readonly PlannedFile[],
  { to, maxFee, directory, index, signal, onProgress }: PutOptions,
) {
  const priced = files.map(({ path, source, mimetype }) => ({ path, size: source.size, mimetype, source }))
  const onCompressed = (done: number, total: number) => onProgress?.({ phase: 'compressing', done, total })
  try {
    const place = { to, directory: directory !== undefined, index }
    return await estimateFiles(tools, place, priced, { signal, onCompressed })
  } catch (error) {
    // An older service has no estimates: then no limit can be held.
    if (maxFee === undefined && error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

async function runOrder(tools: PutTools, { order, plan, hashes, quotas }: Order, options: PutOptions) {
  const { to, directory, folder, signal } = options
  const fresh = { id: crypto.randomUUID(), begunAt: Math.floor(tools.now() / 1000) }
  const journal = await OrderJournal.open(tools.state, order, fresh, options.anew)
  let estimate: Estimate | undefined
  const bytes = plan.reduce((sum, { source }) => sum + source.size, 0)
  let sent = 0
  let merged = 0
  const upload: Upload = {
    items: tools.items,
    folders: tools.folders,
    journal,
    files: plan,
    hashes,
    to,
    directory,
    emptyFolders: (directory !== undefined && options.emptyFolders) || [],
    folder,
    linkKnown: options.linkKnown === true && to === 'IPFS',
    index: options.index,
    signal,
    async beforeItems(toSend) {
      const { files: made, folders } = journal.state
      const begun = new Set([...made.keys()].map((index) => plan[index]))
      const added = toSend.filter((file) => !begun.has(file))
      if (quotas && added.length > 0) {
        const { checkQuotas } = await import('./check-order.ts')
        const wanted = foldersOfPlan(plan, upload.emptyFolders).length + (directory === undefined ? 0 : 1)
        const bytes = added.reduce((sum, { source }) => sum + source.size, 0)
        checkQuotas(quotas, { items: added.length, bytes, folders: Math.max(0, wanted - folders.size) })
      }
      const priced = added.length > 0 || (options.maxFee !== undefined && toSend.length > 0)
      if (priced) estimate = await estimateOf(tools, toSend, options)
      if (journal.state.payments.size === 0) checkPrice(estimate?.amount, options.maxFee)
      await options.beforeItems?.(toSend.map(({ path, mimetype, source }) => ({ path, mimetype, size: source.size })))
    },
    onSent(count) {
      sent += count
      options.onProgress?.({ phase: 'sending', done: sent, total: bytes })
    },
    onMerged() {
      options.onProgress?.({ phase: 'merging', done: ++merged, total: directory === undefined ? plan.length : 1 })
    },
  }
  const { state } = journal
  if (!options.anew && state.files.size === 0 && state.directory === undefined) {
    await (await import('./find-known.ts')).takeKnown(upload)
  }
  const begun = (state.files.size > 0 || state.directory !== undefined) && state.paid.size === 0
  let uploaded = await uploadOrder(upload).catch(async (error: unknown) => {
    // The folder, or the directory that it became, was deleted: nothing of the order is left.
    if (!begun || !isGone(error)) throw error
    await journal.begin({ ...fresh, id: crypto.randomUUID() })
    const failed: FailedFile[] = [{ path: '', error }]
    return { items: [], failed }
  })
  if (begun && uploaded.failed.some(({ error }) => isGone(error))) {
    sent = merged = 0
    uploaded = await uploadOrder(upload)
  }
  const files = mergedFiles(journal, plan, directory)
  const result: PutResult = {
    order,
    ...uploaded,
    ids: files.map(({ id }) => id),
    files,
    linked: pathsOf(plan, state.linked),
    known: directory === undefined ? pathsOf(plan, state.known) : state.known.size > 0 ? [directory] : [],
    paid: false,
    payments: [],
    estimate,
  }
  if (options.pay === false) return result
  const { ids } = result
  const paying = { ...tools, priceOf: (batch: readonly string[]) => priceOf(tools, journal, plan, batch, options) }
  const fromBalance = options.pay === 'balance'
  const { payments, lost } = await payOrder(paying, journal, ids, { ...options, fromBalance })
  result.payments = payments
  result.paid = ids.length > 0 && payments.length === 0
  result.failed.push(...lost.flatMap(([index, error]) => ({ path: plan[index]?.path ?? '', error })))
  if (options.wait && result.failed.length === 0) result.items = await waitForAll(tools, ids, options)
  return result
}

const pathsOf = (plan: readonly PlannedFile[], indexes: ReadonlySet<number>) =>
  [...indexes].flatMap((index) => plan[index]?.path ?? [])

/** What was deleted before it was paid, as by `rm`, is made anew. */
function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404 && error.code === 'not_found'
}

/** Most that items of the order cost now, in coins; of a directory, which is one item, what all of its files do. */
async function priceOf(
  tools: PutTools,
  { state }: OrderJournal,
  plan: readonly PlannedFile[],
  ids: readonly string[],
  options: PutOptions,
): Promise<string> {
  const wanted = new Set(ids)
  const own = [...state.files].flatMap(([index, { id }]) => (wanted.has(id) ? (plan[index] ?? []) : []))
  const estimate = await estimateOf(tools, own.length > 0 ? own : plan, options)
  // Where that is not known yet it counts as all that the order may cost.
  return estimate?.amount ?? options.maxFee ?? '0'
}

function mergedFiles(
  { state }: OrderJournal,
  plan: readonly PlannedFile[],
  directory: string | undefined,
): { path: string; id: string }[] {
  if (directory !== undefined) return state.directory === undefined ? [] : [{ path: directory, id: state.directory }]
  const files = [...state.files].sort(([a], [b]) => a - b)
  return files.flatMap(([index, { id, step }]) => (step === 'merged' ? [{ path: plan[index]?.path ?? '', id }] : []))
}

/** The order that a `put` of the same would go on with, without a request that creates or moves. */
export async function inspectOrder(
  tools: PutTools,
  files: readonly PutFile[],
  options: PutOptions,
): Promise<{ order: string; state: OrderState | undefined }> {
  const { signal } = options
  const plan = await planOf(files, options)
  await checkDirectory(tools, plan, options)
  const hashes = await hashAll(tools, plan, options)
  const order = orderKey((await tools.owner(signal)).identity, plan, hashes, options)
  return { order, state: await readOrder(tools.state, order) }
}

async function hashAll(tools: PutTools, plan: readonly PlannedFile[], options: PutOptions): Promise<string[]> {
  const total = plan.reduce((sum, { source }) => sum + source.size, 0)
  let done = 0
  const hashes: string[] = []
  for (const { source } of plan) {
    const { signal } = options
    hashes.push(
      await hashSource(source, {
        createSha256: tools.createSha256,
        signal,
        onBytes(count) {
          done += count
          options.onProgress?.({ phase: 'hashing', done, total })
        },
      }),
    )
  }
  return hashes
}

/** Name of an order: of what is stored, where and for whom. */
function orderKey(identity: string, plan: readonly PlannedFile[], hashes: readonly string[], options: PutOptions) {
  const { to, directory = null, emptyFolders = [], folder = null } = options
  const files = plan.map(({ path, mimetype }, index) => [path, mimetype, hashes[index]])
  const text = JSON.stringify([
    identity,
    to,
    directory,
    folder,
    files,
    ...(emptyFolders.length > 0 ? [emptyFolders] : []),
  ])
  return toHex(sha256(new TextEncoder().encode(text)))
}

async function waitForAll(tools: PutTools, ids: readonly string[], options: PutOptions): Promise<Item[]> {
  const latest = new Map<string, Item>()
  for await (const item of tools.watch(ids, { signal: options.signal })) {
    latest.set(item.id, item)
    const all = [...latest.values()]
    const total = all.reduce((sum, { transactions }) => sum + (transactions ?? 0), 0)
    const done = all.reduce((sum, { confirmed }) => sum + confirmed, 0)
    options.onProgress?.({ phase: 'writing', done, total })
  }
  return ids.flatMap((id) => latest.get(id) ?? [])
}
