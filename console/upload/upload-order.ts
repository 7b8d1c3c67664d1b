import { mapBounded } from '../../reader/map-bounded.ts'
import { problemOf } from '../api/failure.ts'
import {
  foldersOf,
  isRefused,
  needsFolderForm,
  type Order,
  type OrderItem,
  orderStep,
  type Step,
} from '../core/order.ts'
import { addSample } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { changeLive, orderOf } from './known-orders.ts'
import { folders } from './order-calls.ts'
import { dropSource, findSource, isCompared, noteCompared } from './order-sources.ts'
import { prepareOrder } from './prepare-order.ts'
import { changeFile, changeOrder, shareOrder } from './share-orders.ts'

/** Steps in which something is sent or merged. */
const UPLOADING = new Set<Step>(['upload', 'prepare'])

/** Files of an order uploaded at once. */
const AT_ONCE = 4

/** Orders with at most this many files are stored as soon as one upload has begun. */
const KEPT_AT_ONCE = 50

/** Milliseconds to wait until the browser has stored an order, before its bytes are sent anyway. */
const KEEP_MS = 3000

/** Error code of a file that is not the one of its upload. */
const OTHER_FILE = 'other_content'

/** Uploads what is missing of an order, then merges it. Ends early when `signal` is aborted. */
export async function uploadOrder(id: string, signal: AbortSignal): Promise<void> {
  const before = orderOf(id)
  // A merged order accepts no more folders.
  if (!before || !UPLOADING.has(orderStep(before)) || isRefused(before)) return
  const { files } = before
  const folderIds = await makeFolders(before).catch((error: unknown) => {
    failAll(id, error)
    return undefined
  })
  if (!folderIds) return
  const left = files.filter(({ state }) => state === 'waiting' || state === 'uploading')
  await mapBounded(left, AT_ONCE, ({ path }) => uploadOne(id, path, folderIds, signal))
  const order = orderOf(id)
  if (!signal.aborted && order && orderStep(order) === 'prepare' && !needsFolderForm(order)) {
    const tell = (items: OrderItem[]) => changeOrder(id, (now) => ({ ...now, items }))
    await prepareOrder(order, folderIds, tell, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

async function uploadOne(id: string, path: string, folderIds: ReadonlyMap<string, string>, signal: AbortSignal) {
  const order = orderOf(id)
  const file = order?.files.find((each) => each.path === path)
  if (signal.aborted || !order || !file || file.state === 'removed') return
  const source = await findSource(id, path)
  if (!source) return lose(id, path)
  changeFile(id, path, { state: 'uploading' })
  const folder = folderIds.get(path.split('/').slice(0, -1).join('/'))
  const { uploadFile } = await import('./upload-file.ts')
  const problem = await uploadFile({
    file: source,
    id: file.id,
    compare: file.id !== undefined && file.held > 0 && !isCompared(id, path),
    signal,
    item: {
      name: path.split('/').at(-1) ?? path,
      mimetype: file.mimetype,
      blockchain: order.blockchain,
      size: source.size,
      folder,
      order: id,
    },
    async onId(upload) {
      changeFile(id, path, { id: upload })
      // A reload now resumes this upload. A large order would be written too often.
      if (order.files.length > KEPT_AT_ONCE) return
      await Promise.race([shareOrder(id), new Promise((resolve) => setTimeout(resolve, KEEP_MS))])
    },
    onAcknowledged(held) {
      noteCompared(id, path)
      hold(id, path, held)
    },
    onPause: (reason) => pause(id, reason),
  })
  if (signal.aborted) return
  if (!problem) return changeFile(id, path, { state: 'uploaded' })
  const other = problem.code === OTHER_FILE
  if (other) {
    dropSource(id, path)
    lose(id, path)
  }
  const message = other ? texts.store.wrongFile(path) : problem.message
  changeFile(id, path, { state: 'failed', problem: { ...problem, message } })
}

/** Marks a file that must be chosen again. */
function lose(id: string, path: string): void {
  changeLive(id, (live) => ({ ...live, lost: [...new Set([...live.lost, path])] }))
}

/**
 * Creates the folders of `files`. Returns their ids by path.
 * @throws {HooklineError}
 */
async function makeFolders({ id: order, blockchain, files, folders: made = {} }: Order): Promise<Map<string, string>> {
  const ids = new Map(Object.entries(made))
  for (const path of foldersOf(files.map((file) => file.path))) {
    if (ids.has(path)) continue
    const parent = ids.get(path.split('/').slice(0, -1).join('/'))
    const name = path.split('/').at(-1) ?? path
    // An earlier folder of this name does not change: this is its next version.
    ids.set(path, (await folders.create({ name, blockchain, parent, order, newVersion: true })).id)
  }
  changeOrder(order, (now) => ({ ...now, folders: Object.fromEntries(ids) }))
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
  changeLive(id, (live) => {
    const all = live.order.files.reduce((sum, file) => sum + (file.state === 'removed' ? 0 : file.held), 0)
    return { ...live, samples: addSample(live.samples, { at: Date.now(), received: all }) }
  })
}

function pause(id: string, reason: 'offline' | 'busy' | undefined): void {
  changeLive(id, (live) => {
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
