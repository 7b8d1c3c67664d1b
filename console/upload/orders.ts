import { signal } from '@preact/signals'
import type { StorageTarget } from '../../protocol/chains.ts'
import { problemOf } from '../api/api-error.ts'
import { api, call, callEmpty } from '../api/client.ts'
import type { ChosenFile } from '../core/chosen-files.ts'
import { foldersOf, type Order, type OrderFile, orderStep } from '../core/order.ts'
import { addSample, type Sample } from '../core/upload-rate.ts'
import { claims } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { compareUntilAnswered } from './compare-held.ts'
import { keepOrder, keptOrders } from './order-store.ts'
import { prepareOrder } from './prepare-order.ts'
import type { FileSource } from './read-dropped.ts'
import { askForHandle, readHandle } from './read-handle.ts'
import { holdWake } from './wake-lock.ts'

/** Files of an order that are uploaded at once. */
const LANES = 4

/** An order of so many files at most is kept as soon as one of their uploads has begun. */
const KEPT_AT_ONCE = 50

/** What a file is told by that is not the one whose upload was begun. */
const OTHER_FILE = 'other_file'

/** Within this time a tab has heard the last that another one said of an order. */
const LAST_WORD_MS = 1000

/** An order with what only this tab has of it. */
export interface LiveOrder {
  order: Order
  /** Bytes that the service held, over the last seconds. */
  samples: readonly Sample[]
  /** Why nothing moves at the moment. */
  stopped: 'offline' | 'busy' | 'other_tab' | undefined
  /** When the network was gone, in ms; the last outage. */
  outage: { from: number; until: number | undefined; held: number } | undefined
  /** Files whose bytes this tab can't read until they are chosen again. */
  lost: readonly string[]
}

/** The orders that this browser knows, by id. */
export const orders = signal<ReadonlyMap<string, LiveOrder>>(new Map())

const sources = new Map<string, Map<string, FileSource>>()
/** Files, by order and path, whose bytes are those that their upload was begun with. */
const compared = new Set<string>()
const running = new Map<string, AbortController>()
/** Orders that this tab uploads; of all others it only tells what it hears. */
const owned = new Set<string>()
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('hookline-orders') : undefined

channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (!isProgress(data) || owned.has(data.order.id)) return
  put(data.order.id, {
    ...(orders.value.get(data.order.id) ?? fresh(data.order)),
    order: data.order,
    stopped: 'other_tab',
  })
})

/** Reads the orders that were kept, when somebody signs in. */
export async function loadOrders(): Promise<void> {
  const account = claims.value?.id
  if (account === undefined) return
  const kept = await keptOrders(account)
  const known = new Map(orders.value)
  for (const { order, handles } of kept) {
    if (known.has(order.id)) continue
    known.set(order.id, fresh(order))
    if (!sources.has(order.id)) handlesOf.set(order.id, handles)
  }
  orders.value = known
}

const handlesOf = new Map<string, Record<string, FileSystemHandle>>()

/** Makes an order of what was chosen and begins to upload it. Returns its id. */
export function startOrder(
  blockchain: StorageTarget,
  chosen: readonly ChosenFile<FileSource>[],
  begun: { id: string | undefined; held: number } = { id: undefined, held: 0 },
): string {
  const id = crypto.randomUUID()
  const files = chosen.map(({ path, size, mimetype, lastModified }): OrderFile => {
    return { path, size, mimetype, lastModified, state: 'waiting', ...begun, problem: undefined }
  })
  sources.set(id, new Map(chosen.map(({ path, source }) => [path, source])))
  for (const { path } of chosen) compared.add(fileKey(id, path))
  const account = claims.value?.id ?? ''
  const createdAt = Math.floor(Date.now() / 1000)
  put(id, fresh({ id, account, blockchain, createdAt, files, items: [], payments: [], paused: false }))
  void runOrder(id)
  return id
}

/** Makes an order of one upload that was begun elsewhere, with the same file chosen here. Returns its id. */
export function adoptUpload(
  upload: { id: string | undefined; blockchain: StorageTarget; received: number },
  file: ChosenFile<FileSource>,
): string {
  return startOrder(upload.blockchain, [file], { id: upload.id, held: upload.received })
}

/**
 * Goes on with an order where it was: uploads what is missing, then merges. At most one tab does so; another one waits
 * until that tab is done or closed, and goes on then.
 */
export async function runOrder(id: string): Promise<void> {
  const live = orders.value.get(id)
  if (!live || running.has(id) || live.order.paused) return
  const controller = new AbortController()
  running.set(id, controller)
  const { signal } = controller
  const run = async () => {
    const release = holdWake()
    owned.add(id)
    change(id, (now) => ({ ...now, stopped: undefined }))
    try {
      await work(id, signal)
    } finally {
      tell(id)
      owned.delete(id)
      release()
    }
  }
  try {
    if (!('locks' in navigator)) await run()
    else if (!(await withLock(id, { ifAvailable: true }, run))) {
      change(id, (now) => ({ ...now, stopped: 'other_tab' }))
      await withLock(id, { signal }, async () => {
        await new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS))
        const order = orders.value.get(id)?.order
        if (order && !order.paused && orderStep(order) === 'upload') await run()
      })
    }
  } finally {
    if (running.get(id) === controller) running.delete(id)
  }
}

/** Runs `run` as the one tab that has the order's lock. Resolves to whether it was had. */
async function withLock(id: string, options: LockOptions, run: () => Promise<void>): Promise<boolean> {
  return await navigator.locks
    .request(`hookline-order-${id}`, options, async (lock) => {
      if (lock) await run()
      return lock !== null
    })
    .catch((error: unknown) => {
      if (options.signal?.aborted) return true
      throw error
    })
}

export function pauseOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: true }))
  running.get(id)?.abort()
  running.delete(id)
}

export function resumeOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: false }))
  void runOrder(id)
}

/** Tries every file that failed once more; what is uploaded is not sent again. */
export function retryFailed(id: string): void {
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) =>
      file.state === 'failed' ? { ...file, state: 'waiting', problem: undefined } : file,
    ),
  }))
  void runOrder(id)
}

/** Removes files from the order and from the server, then goes on with the others. */
export async function removeFiles(id: string, paths: readonly string[]): Promise<void> {
  const gone = new Set(paths)
  const before = orders.value.get(id)?.order.files.filter(({ path }) => gone.has(path)) ?? []
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) => (gone.has(file.path) ? { ...file, state: 'removed' } : file)),
  }))
  for (const file of before) {
    if (file.id === undefined) continue
    await callEmpty(api.DELETE('/v0/item/{id}', { params: { path: { id: file.id } } })).catch(() => undefined)
  }
  void runOrder(id)
}

/** Gives the order the bytes of files again that were chosen anew, by path, or by name and size. */
export function giveSources(id: string, chosen: readonly ChosenFile<FileSource>[]): void {
  const given = sources.get(id) ?? new Map<string, FileSource>()
  const files = orders.value.get(id)?.order.files ?? []
  for (const file of files) {
    const match =
      chosen.find(({ path, size }) => path === file.path && size === file.size) ??
      chosen.find(({ path, size }) => size === file.size && path.split('/').at(-1) === file.path.split('/').at(-1))
    if (!match) continue
    given.set(file.path, match.source)
    compared.delete(fileKey(id, file.path))
  }
  sources.set(id, given)
  change(id, (live) => ({ ...live, lost: live.lost.filter((path) => !given.has(path)) }))
  retryFailed(id)
}

/** Whether one press lets this tab read files that it lost: the browser kept where they are. */
export function mayAllow(live: LiveOrder): boolean {
  const handles = handlesOf.get(live.order.id)
  return live.lost.some((path) => handles?.[path] !== undefined)
}

/** Asks the browser to let the lost files be read again, then goes on; must be called from a press. */
export async function allowAgain(id: string): Promise<void> {
  for (const handle of new Set(Object.values(handlesOf.get(id) ?? {}))) await askForHandle(handle)
  change(id, (live) => ({ ...live, lost: [] }))
  await runOrder(id)
}

async function work(id: string, signal: AbortSignal): Promise<void> {
  const files = orders.value.get(id)?.order.files ?? []
  const folders = await makeFolders(id, files).catch((error: unknown) => {
    failAll(id, error)
    return undefined
  })
  if (!folders) return
  const queue = files.filter(({ state }) => state === 'waiting' || state === 'uploading').map(({ path }) => path)
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let path = queue.shift(); path !== undefined && !signal.aborted; path = queue.shift()) {
        await uploadOne(id, path, folders, signal)
      }
    }),
  )
  const order = orders.value.get(id)?.order
  if (!signal.aborted && order && orderStep(order) === 'prepare') {
    await prepareOrder(order, folders, (items) => changeOrder(id, (now) => ({ ...now, items })), signal)
  }
}

async function uploadOne(id: string, path: string, folders: ReadonlyMap<string, string>, signal: AbortSignal) {
  const order = orders.value.get(id)?.order
  const file = order?.files.find((each) => each.path === path)
  if (!order || !file || file.state === 'removed') return
  const source = sources.get(id)?.get(path)?.file ?? (await readHandle(handlesOf.get(id)?.[path], path))
  if (!source) return lose(id, path)
  changeFile(id, path, { state: 'uploading' })
  const refused = await findProblem(id, file, source, signal)
  if (signal.aborted) return
  if (refused) {
    sources.get(id)?.delete(path)
    changeFile(id, path, { state: 'failed', problem: refused })
    if (refused.code === OTHER_FILE) lose(id, path)
    return
  }
  const folder = folders.get(path.split('/').slice(0, -1).join('/'))
  const { uploadFile } = await import('./upload-file.ts')
  const problem = await uploadFile({
    file: source,
    id: file.id,
    signal,
    metadata: {
      filename: path.split('/').at(-1) ?? path,
      filetype: file.mimetype,
      blockchain: order.blockchain,
      ...(folder !== undefined && { folder }),
    },
    onId: (upload) => {
      changeFile(id, path, { id: upload })
      // Whoever reloads now goes on with this upload; a large order would be written too often.
      if (order.files.length <= KEPT_AT_ONCE) tell(id)
    },
    onHeld: (held) => hold(id, path, held),
    onPause: (reason) => pause(id, reason),
  })
  if (signal.aborted) return
  changeFile(id, path, problem ? { state: 'failed', problem } : { state: 'uploaded' })
}

/** Notes a file whose bytes have to be chosen again. */
function lose(id: string, path: string): void {
  change(id, (live) => ({ ...live, lost: [...new Set([...live.lost, path])] }))
}

/** Why `source` can't go on with a file's upload; `undefined` where it can, and where it is known or nothing is begun. */
async function findProblem(
  id: string,
  file: OrderFile,
  source: Blob,
  signal: AbortSignal,
): Promise<OrderFile['problem']> {
  const key = fileKey(id, file.path)
  if (file.id === undefined || file.held === 0 || compared.has(key)) return undefined
  const verdict = await compareUntilAnswered(file.id, source, signal, (reason) => pause(id, reason))
  if (verdict === 'other') return { status: 0, code: OTHER_FILE, message: texts.store.wrongFile(file.path) }
  if (verdict !== 'same') return verdict
  compared.add(key)
  return undefined
}

function fileKey(id: string, path: string): string {
  return `${id}/${path}`
}

/** Makes the folders that `files` are in. Returns their ids by path. @throws {ApiError} */
async function makeFolders(id: string, files: readonly OrderFile[]): Promise<Map<string, string>> {
  const blockchain = orders.value.get(id)?.order.blockchain ?? 'IPFS'
  const ids = new Map<string, string>()
  for (const path of foldersOf(files.map((file) => file.path))) {
    const parent = ids.get(path.split('/').slice(0, -1).join('/'))
    const name = path.split('/').at(-1) ?? path
    const body = { name, blockchain, ...(parent !== undefined && { parent }) }
    ids.set(path, (await call(api.POST('/v0/folder', { body }))).id)
  }
  return ids
}

function failAll(id: string, error: unknown): void {
  const problem = problemOf(error)
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) =>
      file.state === 'waiting' || file.state === 'uploading' ? { ...file, state: 'failed', problem } : file,
    ),
  }))
}

function hold(id: string, path: string, held: number): void {
  changeFile(id, path, { held })
  change(id, (live) => {
    const all = live.order.files.reduce((sum, file) => sum + (file.state === 'removed' ? 0 : file.held), 0)
    return { ...live, samples: addSample(live.samples, { at: Date.now(), held: all }) }
  })
}

function pause(id: string, reason: 'offline' | 'busy' | undefined): void {
  change(id, (live) => {
    if (live.stopped === reason) return live
    const held = live.order.files.reduce((sum, file) => sum + file.held, 0)
    const outage =
      reason === 'offline'
        ? { from: Date.now(), until: undefined, held }
        : live.outage && live.outage.until === undefined
          ? { ...live.outage, until: Date.now() }
          : live.outage
    return { ...live, stopped: reason, outage }
  })
}

function fresh(order: Order): LiveOrder {
  return { order, samples: [], stopped: undefined, outage: undefined, lost: [] }
}

function changeFile(id: string, path: string, fields: Partial<OrderFile>): void {
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) => (file.path === path ? { ...file, ...fields } : file)),
  }))
}

export function changeOrder(id: string, to: (order: Order) => Order): void {
  change(id, (live) => ({ ...live, order: to(live.order) }))
  keepSoon(id)
}

function change(id: string, to: (live: LiveOrder) => LiveOrder): void {
  const live = orders.value.get(id)
  if (live) put(id, to(live))
}

function put(id: string, live: LiveOrder): void {
  orders.value = new Map(orders.value).set(id, live)
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Keeps and tells other tabs at most once a second: a file of a thousand parts changes often. */
function keepSoon(id: string): void {
  if (timers.has(id)) return
  const keep = () => {
    timers.delete(id)
    tell(id)
  }
  timers.set(id, setTimeout(keep, 1000))
}

/** Keeps an order as it is now, and tells the other tabs. */
function tell(id: string): void {
  const order = orders.value.get(id)?.order
  if (!order) return
  const known = [...(sources.get(id) ?? [])].flatMap(([path, { handle }]) => (handle ? [[path, handle]] : []))
  void keepOrder(order, { ...handlesOf.get(id), ...Object.fromEntries(known) })
  channel?.postMessage({ kind: 'progress', order })
}

function isProgress(data: unknown): data is { order: Order } {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'progress' && 'order' in data
}
