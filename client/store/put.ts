import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../../protocol/bytes.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { itemsOf } from '../resources/items.ts'
import type { ordersOf } from '../resources/orders.ts'
import type { paymentsOf } from '../resources/payments.ts'
import type { sitesOf } from '../resources/sites.ts'
import type { StateStore } from '../stores/state-store.ts'
import type { Estimate, Item, PaymentRequest, Profile, SiteProblems, StorageTarget } from '../types.ts'
import { type Hasher, hashSource } from './byte-source.ts'
import { estimateFiles, type PriceTools } from './estimate-files.ts'
import { OrderJournal, type OrderState, readOrder } from './order-journal.ts'
import { checkPrice, payOrder } from './pay-order.ts'
import { type FailedFile, type PutOrder, storeFiles } from './put-order.ts'
import { foldersOfPlan, type PlannedFile, type PutFile, planFiles } from './put-plan.ts'

export interface PutOptions extends CallOptions {
  /** The storage target. */
  to: StorageTarget
  /**
   * Makes all files one directory of this name: one item, one CID. On a chain it is a website in the item's
   * transactions.
   */
  directory?: string | undefined
  /** Paths of folders that contain none of the files; a `directory` includes them. */
  emptyFolders?: readonly string[] | undefined
  /** Id of a folder of the account to store the order in. */
  folder?: string | undefined
  /**
   * Links files that the caller's own stored items contain (directories on IPFS only); they are neither sent nor paid.
   */
  linkKnown?: boolean | undefined
  /**
   * Whether content of several transactions gets an index: one more transaction, whose txid alone is enough to read the
   * content. Default: on Nativecoin only. Content that is already stored is not stored again to add one.
   */
  index?: boolean | undefined
  /**
   * `'request'` (default): requests a payment and does not touch the balance. `'balance'`: pays from the balance if it
   * covers a request; needs `maxFee`. `false`: uploads and requests no payment.
   */
  pay?: 'request' | 'balance' | false | undefined
  /**
   * The most that the whole order may cost, in coins (`'0.001'`), including all fees. A dearer order fails with
   * `too_dear` before anything is created or sent, and again before it is paid.
   */
  maxFee?: string | undefined
  /** Stores the same content again: the state of the earlier order is forgotten. */
  anew?: boolean | undefined
  /** Waits until everything is stored. A payment that is due must be made meanwhile; see `onPayment`. */
  wait?: boolean | undefined
  /** Only validates and prices: sends no request that changes anything. */
  dryRun?: boolean | undefined
  /**
   * Called with the files to send before the first item is created; an error thrown here ends the order. With
   * `linkKnown` the other files are linked by then.
   */
  beforeItems?(files: readonly { path: string; mimetype: string; size: number }[]): void | Promise<void>
  /**
   * Called with the faults in the `_headers` and `_redirects` of a directory before anything is created. If a site of
   * this directory would answer with an error, the order fails with `site_fails` unless this returns `true`.
   */
  onSiteProblems?(found: SiteProblems): boolean | Promise<boolean>
  onProgress?(progress: PutProgress): void
  /** Called with each payment request that is due. */
  onPayment?(request: PaymentRequest): void
}

/**
 * Progress of an order. 'writing' counts transactions, 'merging' and 'paying' count items, all others count bytes.
 * 'compressing' happens before pricing, for files that fit on a chain only when compressed.
 */
export interface PutProgress {
  phase: 'compressing' | 'hashing' | 'sending' | 'merging' | 'paying' | 'writing'
  done: number
  total: number
}

export interface PutResult {
  /** Key of the order in the state store. */
  order: string
  /** Items that the service returned in this run. If earlier runs merged more than 100, those are only in `ids`. */
  items: Item[]
  /** Ids of all merged items. */
  ids: string[]
  /** The same by path; a directory is one entry, by its name. */
  files: { path: string; id: string }[]
  /** SHA-256 of the bytes of each file as they were read before they were sent, in lowercase hex. */
  hashes: { path: string; sha256: string }[]
  failed: FailedFile[]
  /** Paths that the service linked from the caller's stored items. */
  linked: string[]
  /** Paths of what the account had before the order began. They were neither sent nor paid again. */
  known: string[]
  /** Whether nothing is left to pay. */
  paid: boolean
  /** Payments that are due. */
  payments: PaymentRequest[]
  /**
   * The most that the files to send cost; `undefined` if there are none, or if the price is known only after merging.
   */
  estimate: Estimate | undefined
}

/** The dependencies of `put`. */
export interface PutTools extends PriceTools {
  items: ReturnType<typeof itemsOf>
  folders: ReturnType<typeof foldersOf>
  orders: Pick<ReturnType<typeof ordersOf>, 'delete'>
  payments: ReturnType<typeof paymentsOf>
  sites: Pick<ReturnType<typeof sitesOf>, 'problems'>
  watch(ids: readonly string[], options: CallOptions): AsyncIterable<Item>
  /** Identifies the API and the account, with its quotas if the credentials may read them. */
  owner(signal: AbortSignal | undefined): Promise<{ identity: string; quotas: Profile['quotas'] | undefined }>
  state: StateStore
  createSha256: (() => Hasher) | undefined
  now: () => number
}

/**
 * Stores files: uploads, merges, requests the payment and, if wanted, waits. The same call again resumes and pays once:
 * an order is identified by its API, account, target and the SHA-256 of its files, never by path or date.
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
      hashes: [],
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

async function planOf(
  files: readonly PutFile[],
  { directory, emptyFolders, folder }: PutOptions,
): Promise<PlannedFile[]> {
  const { mediaTypeOf } = await import('../../reader/media-type-of.ts')
  return planFiles(files, {
    directory: directory !== undefined,
    inFolder: folder !== undefined,
    emptyFolders,
    mimetypeOf: mediaTypeOf,
  })
}

const WAYS_TO_PAY: readonly PutOptions['pay'][] = ['request', 'balance', false, undefined]

/** @throws {HooklineError} `invalid_option` if a payment from the balance has no limit, or if the limit is no amount */
function checkPaying({ pay, maxFee }: PutOptions): void {
  if (!WAYS_TO_PAY.includes(pay)) throw new HooklineError('invalid_option', "pay is 'request', 'balance' or false.")
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

/** Checks the files that configure a site, since a directory may become a version of one. */
async function checkDirectory(tools: PutTools, plan: readonly PlannedFile[], options: PutOptions): Promise<void> {
  const { directory, signal, onSiteProblems } = options
  if (directory === undefined || !plan.some(({ path }) => path === '_headers' || path === '_redirects')) return
  const { checkSiteFiles } = await import('./check-order.ts')
  await checkSiteFiles(tools.sites.problems, plan, onSiteProblems, { signal })
}

/** The most that files cost now. */
async function estimateOf(
  tools: PutTools,
  files: readonly PlannedFile[],
  { to, directory, index, signal, onProgress }: PutOptions,
) {
  const priced = files.map(({ path, source, mimetype }) => ({ path, size: source.size, mimetype, source }))
  const onCompressed = (done: number, total: number) => onProgress?.({ phase: 'compressing', done, total })
  const place = { to, directory: directory !== undefined, index }
  return await estimateFiles(tools, place, priced, { signal, onCompressed })
}

async function runOrder(tools: PutTools, { order, plan, hashes, quotas }: Order, options: PutOptions) {
  const { to, directory, folder, signal } = options
  const journal = await OrderJournal.open(tools.state, order, tools.now, options.anew)
  let estimate: Estimate | undefined
  const bytes = plan.reduce((sum, { source }) => sum + source.size, 0)
  let sent = 0
  let merged = 0
  let declined = false
  const upload: PutOrder = {
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
      const told = toSend.map(({ path, mimetype, source }) => ({ path, mimetype, size: source.size }))
      try {
        await options.beforeItems?.(told)
      } catch (error) {
        declined = true
        throw error
      }
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
    await (await import('./find-known.ts')).reuseKnown(upload)
  }
  const begun = state.files.size > 0 || state.directory !== undefined
  const send = async () => {
    try {
      return await storeFiles(upload)
    } catch (error) {
      const { dropRefused, isRefusal } = await import('./drop-refused.ts')
      if (!signal?.aborted && !isGone(error) && (declined || isRefusal(error))) await dropRefused(tools.orders, journal)
      throw error
    }
  }
  let uploaded = await send().catch(async (error: unknown) => {
    // The folder, or the directory made from it, was deleted: nothing of the order is left.
    if (!begun || state.paid.size > 0 || !isGone(error)) throw error
    await journal.begin()
    const failed: FailedFile[] = [{ path: '', error }]
    return { items: [], failed }
  })
  if (begun && uploaded.failed.some(({ error }) => isGone(error))) {
    sent = merged = 0
    uploaded = await send()
  }
  const files = mergedFiles(journal, plan, directory)
  const result: PutResult = {
    order,
    ...uploaded,
    ids: files.map(({ id }) => id),
    files,
    hashes: plan.map(({ path }, index) => ({ path, sha256: hashes[index] ?? '' })),
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
  const onRequest = (request: PaymentRequest, isSeen: boolean) => {
    if (!isSeen) options.onPayment?.(request)
    return undefined
  }
  const { payments, lost } = await payOrder(paying, journal, ids, { ...options, fromBalance, onRequest })
  result.payments = payments
  result.paid = ids.length > 0 && payments.length === 0
  result.failed.push(...lost.flatMap(([index, error]) => ({ path: plan[index]?.path ?? '', error })))
  if (options.wait && result.failed.length === 0) result.items = await waitForAll(tools, ids, options)
  return result
}

const pathsOf = (plan: readonly PlannedFile[], indexes: ReadonlySet<number>) =>
  [...indexes].flatMap((index) => plan[index]?.path ?? [])

/** Whether the item was deleted before it was paid, for example by `rm`. Then it is created again. */
function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404 && error.code === 'not_found'
}

/** The most that items of the order cost now, in coins. A directory is one item that costs what all its files do. */
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
  // Before that is known, an order counts as its whole limit.
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

/** The order that a `put` of the same files would resume. Sends no request that changes anything. */
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

/** The key of an order: what is stored, where and for whom. */
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
