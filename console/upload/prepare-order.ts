import { ApiError } from '../api/api-error.ts'
import { api, call, type Schemas } from '../api/client.ts'
import { inGroups, type Order, type OrderItem } from '../core/order.ts'

/** Ids that one call merges. */
export const MAX_MERGED = 100
/** Items that go on merging are looked at so often. */
const LOOK_AGAIN_MS = 2_000

/**
 * Merges what an order uploaded: each file on a chain; on IPFS each top folder as one directory and each top file.
 * `tell` is called with the items as they are known: all of them from the first call on, since what is paid for is known
 * only when none is left to be merged. Ends when all are merged or refused.
 */
export async function prepareOrder(
  order: Order,
  folders: ReadonlyMap<string, string>,
  tell: (items: OrderItem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const items = new Map<string, OrderItem>()
  const put = (item: OrderItem) => {
    // A folder's item has an id of its own once it is merged.
    items.set(item.name, item)
    tell([...items.values()])
  }
  const uploaded = order.files.flatMap(({ state, id, path, size }) =>
    state === 'uploaded' && id !== undefined ? [{ id, path, size }] : [],
  )
  const single = order.blockchain === 'IPFS' ? uploaded.filter(({ path }) => !path.includes('/')) : uploaded
  const roots = order.blockchain === 'IPFS' ? rootsOf(uploaded, folders) : []
  for (const each of [...single, ...roots]) items.set(each.path, unmerged(each))
  tell([...items.values()])
  for (const group of inGroups(single, MAX_MERGED)) await mergeGroup(group, put, signal)
  for (const root of roots) await mergeFolder(root, put, signal)
}

/** The top folders of these files, each with the bytes in it. */
function rootsOf(uploaded: readonly Merged[], folders: ReadonlyMap<string, string>): Merged[] {
  const names = new Set(uploaded.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0] ?? ''] : [])))
  return [...names].flatMap((path) => {
    const id = folders.get(path)
    const size = uploaded.reduce((sum, file) => sum + (file.path.startsWith(`${path}/`) ? file.size : 0), 0)
    return id === undefined ? [] : [{ id, path, size }]
  })
}

interface Merged {
  id: string
  path: string
  size: number
}

async function mergeGroup(group: readonly Merged[], put: (item: OrderItem) => void, signal: AbortSignal) {
  let left = group
  while (left.length > 0 && !signal.aborted) {
    const body = { items: left.map(({ id }) => id) }
    const answer = await persist(() => call(api.POST('/v0/item/merge', { body })), signal)
    if (!answer) return
    const open: Merged[] = []
    for (const { id, item, message } of answer.items) {
      const file = left.find((each) => each.id === id)
      if (!file) continue
      put(item ? orderItemOf(item, file.path) : refused(file, message ?? ''))
      if (item && statusOf(item) === 201) open.push(file)
    }
    left = open
    if (left.length > 0) await pauseFor(LOOK_AGAIN_MS)
  }
}

async function mergeFolder(folder: Merged, put: (item: OrderItem) => void, signal: AbortSignal) {
  while (!signal.aborted) {
    const merged = await persist(
      () => call(api.POST('/v0/folder/{id}/merge', { params: { path: { id: folder.id } } })),
      signal,
    ).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      put(refused(folder, error.message))
      return undefined
    })
    if (!merged) return
    put(orderItemOf(merged, folder.path))
    if (statusOf(merged) !== 201) return
    await pauseFor(LOOK_AGAIN_MS)
  }
}

/** What an order keeps of an item. */
export function orderItemOf(item: Schemas['Item'], name = item.name): OrderItem {
  return {
    id: item.id,
    name,
    size: item.size,
    status: statusOf(item),
    message: item.message ?? undefined,
    transactions: item.transactions ?? 0,
    written: item.written,
    confirmed: item.confirmed,
  }
}

export function statusOf(item: { status: string }): number {
  return Number.parseInt(item.status, 10)
}

function unmerged({ id, path, size }: Merged): OrderItem {
  return { id, name: path, size, status: 201, message: undefined, transactions: 0, written: 0, confirmed: 0 }
}

function refused(merged: Merged, message: string): OrderItem {
  return { ...unmerged(merged), status: 422, message }
}

/** Asks again while the way is gone; undefined when the order was stopped meanwhile. @throws {ApiError} a refusal. */
async function persist<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 0 && error.status !== 429 && error.status < 500))
        throw error
      await pauseFor((error.retryAfter ?? 5) * 1000)
    }
  }
  return undefined
}

function pauseFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
