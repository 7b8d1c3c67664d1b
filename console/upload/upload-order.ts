import { HooklineError } from '../../client/http/api-error.ts'
import { Transport } from '../../client/http/transport.ts'
import { foldersOf } from '../../client/resources/folders.ts'
import { itemsOf } from '../../client/resources/items.ts'
import type { ByteSource } from '../../client/store/put-content.ts'
import type { PlannedFile } from '../../client/store/put-plan.ts'
import type { MergeForm } from '../../client/store/upload.ts'
import { options } from '../api/connection.ts'
import { isRefused, isWhole, needsFolderForm, type Order, type OrderItem, orderStep, type Step } from '../core/order.ts'
import { credentials } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { addToSite } from './add-to-site.ts'
import { changeLive, orderOf } from './known-orders.ts'
import { orderItemOfMerge } from './order-item.ts'
import { journalOf } from './order-journal.ts'
import { bytesOf, fail, failAll, lose, pause } from './order-progress.ts'
import { findSource, isCompared } from './order-sources.ts'
import { changeOrder, shareOrder } from './share-orders.ts'

/** Requests that an order makes itself are retried without limit, since no user action starts them. */
const patient = new Transport({ ...options, retries: Number.POSITIVE_INFINITY }, credentials)
const items = itemsOf(patient)
const folders = foldersOf(patient)

/** Steps in which something is sent or merged. */
const UPLOADING = new Set<Step>(['upload', 'prepare'])

/** Uploads what is missing of an order, then merges it. Ends early when `signal` is aborted. */
export async function uploadOrder(id: string, signal: AbortSignal): Promise<void> {
  const order = orderOf(id)
  // A merged order accepts no more folders.
  if (!order || !UPLOADING.has(orderStep(order)) || isRefused(order)) return
  try {
    await storeOrder(order, signal)
  } catch (error) {
    if (!signal.aborted) failAll(id, error)
  } finally {
    changeLive(id, (live) => ({ ...live, underway: 0 }))
  }
}

/** Stores the files of an order that this tab can read. The others must be chosen again. */
async function storeOrder(order: Order, signal: AbortSignal): Promise<void> {
  const { id, files, blockchain } = order
  const wanted: number[] = []
  const planned: PlannedFile[] = []
  for (const [index, { path, mimetype, state }] of files.entries()) {
    const isOpen = state === 'waiting' || state === 'uploading'
    const source = isOpen ? await findSource(id, path) : undefined
    if (source) wanted.push(index)
    else if (isOpen) lose(id, path)
    const names = path.split('/')
    const name = names.at(-1) ?? path
    planned.push({ path, folder: names.slice(0, -1).join('/'), name, mimetype, source: readable(source) })
  }
  // From now on a reload, or another tab, knows the order.
  void shareOrder(id)
  signal.throwIfAborted()
  const [engine, { patientUploads }] = await Promise.all([
    import('../../client/store/upload.ts'),
    import('./send-chunks.ts'),
  ])
  const pathOf = (index: number) => files[index]?.path ?? ''
  const isWanted = (index: number) => orderOf(id)?.files[index]?.state !== 'removed'
  const merged = new Map<string, OrderItem>()
  const uploads = patientUploads(signal, (reason) => pause(id, reason))
  await engine.uploadOrder({
    ...uploads,
    // A merge may take longer than a connection may be silent.
    items: { ...uploads.items, mergeMany: items.mergeMany },
    folders,
    journal: journalOf(order),
    files: planned,
    to: blockchain,
    folder: undefined,
    // An earlier folder of the same name does not change.
    newVersion: true,
    wanted: async () => wanted,
    compares: (index) => !isCompared(id, pathOf(index)),
    isWanted,
    onRefused: (index, error) => fail(id, pathOf(index), error),
    onBytes: bytesOf(id),
    onFailed: (index, error) => isWanted(index) && fail(id, pathOf(index), error),
    mergesAs: () => mergeFormOf(orderOf(id)),
    onMerged(outcomes) {
      const sizes = sizesOf(orderOf(id))
      for (const outcome of outcomes) merged.set(outcome.path, orderItemOfMerge(outcome, sizes.get(outcome.path) ?? 0))
      // What is to be paid is known only when all are merged: the order has all of them from the first call on.
      changeOrder(id, (now) => ({ ...now, items: [...merged.values()] }))
    },
    signal,
  })
  // Where it fails, the order goes on: once it is stored, it is tried again.
  await addToSite(id).catch(() => undefined)
}

/** How an order is merged; `undefined` while something is not uploaded, or the user has not chosen a form. */
function mergeFormOf(order: Order | undefined): MergeForm | undefined {
  if (!order || orderStep(order) !== 'prepare' || needsFolderForm(order)) return undefined
  const paths = order.files.flatMap(({ path, state }) => (state === 'uploaded' && path.includes('/') ? path : []))
  return {
    whole: isWhole(order) ? [...new Set(paths.map((path) => path.split('/')[0] ?? ''))] : [],
    index: order.index,
  }
}

/** The bytes of each uploaded file, and of all in each top folder, by path. */
function sizesOf(order: Order | undefined): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { path, size, state } of order?.files ?? []) {
    const top = path.split('/')[0] ?? ''
    if (state !== 'uploaded') continue
    sizes.set(path, size)
    if (top !== path) sizes.set(top, (sizes.get(top) ?? 0) + size)
  }
  return sizes
}

/** The content of a chosen file. One that cannot be read any more fails by itself. */
function readable(source: Blob | undefined): ByteSource {
  return {
    size: source?.size ?? 0,
    async read(start, end) {
      const bytes = await source
        ?.slice(start, end)
        .arrayBuffer()
        .catch(() => undefined)
      if (bytes) return new Uint8Array(bytes)
      throw new HooklineError('content_changed', texts.order.unreadable)
    },
  }
}
