import { ApiError } from '../../client/http/api-error.ts'
import { itemState } from '../../client/item-state.ts'
import { foldersOf } from '../../client/resources/folders.ts'
import { itemsOf } from '../../client/resources/items.ts'
import { ordersOf } from '../../client/resources/orders.ts'
import type { Item } from '../../client/types.ts'
import { api, type Schemas, transport } from '../api/client.ts'
import type { Order } from '../core/order.ts'
import { orderOfItems, withServerState } from '../core/order-of-items.ts'
import { claims } from '../session/access.ts'
import { freshOrder, orderOf, putOrder } from './known-orders.ts'
import { orderItemOf } from './order-item.ts'
import { isRunning, pauseOrder } from './run-order.ts'
import { changeOrder, forgetOrder } from './share-orders.ts'

/** Most items of an order that are read, in pages of 50. */
const MAX_ITEMS = 2_000
/** Most pages of unfinished uploads, of 20 each, that are searched for those of an order. */
const MAX_UPLOAD_PAGES = 5

const orders = ordersOf(transport)
const items = itemsOf(transport)
const folders = foldersOf(transport)

/**
 * Updates an order with the service's state. An order of another device is added, one that no longer exists is deleted.
 * The state of a running upload in this tab takes precedence.
 * @throws {HooklineError}
 */
export async function readOrder(id: string): Promise<void> {
  if (isRunning(id)) return
  try {
    const found = await orderFromServer(id)
    const kept = orderOf(id)
    if (!kept) putOrder(id, freshOrder({ ...found, account: claims.value?.id ?? '' }))
    else changeOrder(id, (now) => withServerState(now, found))
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    // The service does not know an order of which nothing was begun.
    if (orderOf(id)?.files.some((file) => file.id !== undefined) && !isRunning(id)) await forgetOrder(id)
  }
}

/**
 * Ends an order: deletes its unpaid items at the service, and the order in this browser.
 * @throws {HooklineError}
 */
export async function stopOrder(id: string): Promise<void> {
  pauseOrder(id)
  try {
    await orders.delete(id)
  } catch (error) {
    // Nothing was begun.
    if (!(error instanceof ApiError && error.status === 404)) throw error
  }
  await forgetOrder(id)
}

async function orderFromServer(id: string): Promise<Omit<Order, 'account'>> {
  const order = await orders.get(id)
  const found: Item[] = []
  for await (const item of items.list({ order: id, sort: 'created' })) {
    found.push(item)
    if (found.length >= MAX_ITEMS) break
  }
  const begun = found.some((item) => itemState(item) === 'uploading')
  const held = new Map((begun ? await readUploads() : []).map((upload) => [upload.id, upload.received]))
  const read = orderOfItems(order, found, held, orderItemOf)
  return { ...read, folders: await withParents(read.folders ?? {}) }
}

/** The account's unfinished uploads, the newest first. @throws {HooklineError} */
export async function readUploads(): Promise<Schemas['Upload'][]> {
  const found: Schemas['Upload'][] = []
  let query: { cursor?: string } = {}
  for (let page = 0; page < MAX_UPLOAD_PAGES; page++) {
    const { uploads, cursor } = await api.GET('/v0/upload', { params: { query } })
    found.push(...uploads)
    if (cursor === undefined) break
    query = { cursor }
  }
  return found
}

/** Folders by path, joined by those above them. */
async function withParents(known: Record<string, string>): Promise<Record<string, string>> {
  const all = { ...known }
  for (const [path, id] of Object.entries(known)) {
    let folder = id
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end)
      const parent = all[above] ?? (await folders.get(folder)).parent
      if (parent === null || parent === undefined) break
      all[above] = parent
      folder = parent
    }
  }
  return all
}
