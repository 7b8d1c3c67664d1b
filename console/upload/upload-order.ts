import { ApiError, HooklineError } from '../../client/http/api-error.ts'
import type { ByteSource } from '../../client/store/put-content.ts'
import type { PlannedFile } from '../../client/store/put-plan.ts'
import type { Sending } from '../../client/store/send-files.ts'
import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import {
  foldersOf,
  isRefused,
  needsFolderForm,
  type Order,
  type OrderItem,
  orderStep,
  type Step,
} from '../core/order.ts'
import { texts } from '../texts/index.ts'
import { changeLive, orderOf } from './known-orders.ts'
import { folders } from './order-calls.ts'
import { journalOf } from './order-journal.ts'
import { bytesOf, fail, failAll, lose, pause } from './order-progress.ts'
import { findSource, isCompared } from './order-sources.ts'
import { prepareOrder } from './prepare-order.ts'
import { changeOrder } from './share-orders.ts'

/** Steps in which something is sent or merged. */
const UPLOADING = new Set<Step>(['upload', 'prepare'])

/** Codes of refusals that are about one file of a list. */
const OF_ONE_FILE = new Set<string>(['invalid_field', 'item_too_large', 'content_too_large'])

/** Uploads what is missing of an order, then merges it. Ends early when `signal` is aborted. */
export async function uploadOrder(id: string, signal: AbortSignal): Promise<void> {
  const before = orderOf(id)
  // A merged order accepts no more folders.
  if (!before || !UPLOADING.has(orderStep(before)) || isRefused(before)) return
  try {
    await sendOrder(id, await makeFolders(before), signal)
  } catch (error) {
    if (!signal.aborted) failAll(id, error)
    return
  } finally {
    changeLive(id, (live) => ({ ...live, underway: 0 }))
  }
  const order = orderOf(id)
  if (!signal.aborted && order && orderStep(order) === 'prepare' && !needsFolderForm(order)) {
    const tell = (items: OrderItem[]) => changeOrder(id, (now) => ({ ...now, items }))
    await prepareOrder(order, tell, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

/** Sends the files that are not uploaded yet and that this tab can read. The others must be chosen again. */
async function sendOrder(id: string, folderIds: Map<string, string>, signal: AbortSignal): Promise<void> {
  const { files, blockchain } = orderOf(id) ?? { files: [], blockchain: 'IPFS' }
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
  signal.throwIfAborted()
  if (wanted.length === 0) return
  const [{ createItems, sendFiles }, { patientUploads }] = await Promise.all([
    import('../../client/store/send-files.ts'),
    import('./send-chunks.ts'),
  ])
  const pathOf = (index: number) => files[index]?.path ?? ''
  const isWanted = (index: number) => orderOf(id)?.files[index]?.state !== 'removed'
  const sending: Sending = {
    ...patientUploads(signal, (reason) => pause(id, reason)),
    journal: journalOf(id, folderIds),
    files: planned,
    to: blockchain,
    folder: undefined,
    compares: (index) => !isCompared(id, pathOf(index)),
    isWanted,
    onBytes: bytesOf(id),
    onFailed: (index, error) => isWanted(index) && fail(id, pathOf(index), error),
    signal,
  }
  const create = async (some: readonly number[]): Promise<void> => {
    try {
      await createItems(sending, some)
    } catch (error) {
      if (!(error instanceof ApiError && isOfOrder(error))) throw error
      // Of a list none is created: which of them is refused, shows when each is created alone.
      if (some.length > 1 && OF_ONE_FILE.has(error.code)) for (const index of some) await create([index])
      else for (const index of some) fail(id, pathOf(index), error)
    }
  }
  for (const group of inGroups(wanted.filter(isWanted), MAX_LISTED_ITEMS)) {
    await create(group)
    await sendFiles(sending, group)
  }
}

/** Whether the service refuses what was asked for, and not who asks. */
const isOfOrder = ({ status }: ApiError) => status < 500 && ![401, 403].includes(status)

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
