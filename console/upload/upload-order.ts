import { mapBounded } from '../../reader/map-bounded.ts'
import { problemOf } from '../api/api-error.ts'
import { api, call } from '../api/client.ts'
import { foldersOf, type OrderFile, orderStep } from '../core/order.ts'
import { addSample } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { compareUntilAnswered } from './compare-held.ts'
import { changeLive, orderOf } from './known-orders.ts'
import { dropSource, findSource, isCompared, noteCompared } from './order-sources.ts'
import { prepareOrder } from './prepare-order.ts'
import { changeFile, changeOrder, shareOrder } from './share-orders.ts'

/** Files of an order that are uploaded at once. */
const AT_ONCE = 4

/** An order of so many files at most is kept as soon as one of their uploads has begun. */
const KEPT_AT_ONCE = 50

/** How long (ms) a browser may take to keep an order before its bytes are sent all the same. */
const KEEP_MS = 3000

/** What a file is told by that is not the one whose upload was begun. */
const OTHER_FILE = 'other_file'

/** Uploads what is missing of an order, then merges it. Ends early once `signal` is aborted. */
export async function uploadOrder(id: string, signal: AbortSignal): Promise<void> {
  const files = orderOf(id)?.files ?? []
  const folders = await makeFolders(id, files).catch((error: unknown) => {
    failAll(id, error)
    return undefined
  })
  if (!folders) return
  const left = files.filter(({ state }) => state === 'waiting' || state === 'uploading')
  await mapBounded(left, AT_ONCE, async ({ path }) => {
    if (!signal.aborted) await uploadOne(id, path, folders, signal)
  })
  const order = orderOf(id)
  if (!signal.aborted && order && orderStep(order) === 'prepare') {
    await prepareOrder(order, folders, (items) => changeOrder(id, (now) => ({ ...now, items })), signal)
  }
}

async function uploadOne(id: string, path: string, folders: ReadonlyMap<string, string>, signal: AbortSignal) {
  const order = orderOf(id)
  const file = order?.files.find((each) => each.path === path)
  if (!order || !file || file.state === 'removed') return
  const source = await findSource(id, path)
  if (!source) return lose(id, path)
  changeFile(id, path, { state: 'uploading' })
  const refused = await findProblem(id, file, source, signal)
  if (signal.aborted) return
  if (refused) {
    dropSource(id, path)
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
    async onId(upload) {
      changeFile(id, path, { id: upload })
      // Whoever reloads now goes on with this upload; a large order would be written too often.
      if (order.files.length > KEPT_AT_ONCE) return
      await Promise.race([shareOrder(id), new Promise((resolve) => setTimeout(resolve, KEEP_MS))])
    },
    onHeld: (held) => hold(id, path, held),
    onPause: (reason) => pause(id, reason),
  })
  if (signal.aborted) return
  changeFile(id, path, problem ? { state: 'failed', problem } : { state: 'uploaded' })
}

/** Notes a file whose bytes have to be chosen again. */
function lose(id: string, path: string): void {
  changeLive(id, (live) => ({ ...live, lost: [...new Set([...live.lost, path])] }))
}

/** Why `source` can't go on with a file's upload; `undefined` where it can, and where it is known or nothing is begun. */
async function findProblem(
  id: string,
  file: OrderFile,
  source: Blob,
  signal: AbortSignal,
): Promise<OrderFile['problem']> {
  if (file.id === undefined || file.held === 0 || isCompared(id, file.path)) return undefined
  const verdict = await compareUntilAnswered(file.id, source, signal, (reason) => pause(id, reason))
  if (verdict === 'other') return { status: 0, code: OTHER_FILE, message: texts.store.wrongFile(file.path) }
  if (verdict !== 'same') return verdict
  noteCompared(id, file.path)
  return undefined
}

/** Makes the folders that `files` are in. Returns their ids by path. @throws {ApiError} */
async function makeFolders(id: string, files: readonly OrderFile[]): Promise<Map<string, string>> {
  const blockchain = orderOf(id)?.blockchain ?? 'IPFS'
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
  changeLive(id, (live) => {
    const all = live.order.files.reduce((sum, file) => sum + (file.state === 'removed' ? 0 : file.held), 0)
    return { ...live, samples: addSample(live.samples, { at: Date.now(), held: all }) }
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
