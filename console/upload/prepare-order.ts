import { ApiError } from '../../client/http/api-error.ts'
import { itemState } from '../../client/item-state.ts'
import { mergeFiles } from '../../client/store/merge-files.ts'
import type { Item } from '../../client/types.ts'
import { sentenceOf } from '../api/failure.ts'
import { isWhole, type Order, type OrderItem } from '../core/order.ts'
import { folders, items } from './order-calls.ts'

/**
 * Merges what an order uploaded: each file on a chain; on IPFS, and if folders become websites, each top folder as one
 * directory and each top file. `tell` receives the items whenever they change: all of them from the first call on,
 * since what is to be paid is known only when all are merged. Ends when all are merged or refused.
 */
export async function prepareOrder(
  order: Order,
  tell: (items: OrderItem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, OrderItem>()
  const put = (item: OrderItem) => {
    // The item of a folder has an id of its own when it is merged.
    known.set(item.name, item)
    tell([...known.values()])
  }
  const uploaded = order.files.flatMap(({ state, id, path, size }) =>
    state === 'uploaded' && id !== undefined ? [{ id, path, size }] : [],
  )
  const whole = isWhole(order)
  const single = whole ? uploaded.filter(({ path }) => !path.includes('/')) : uploaded
  const roots = whole ? rootsOf(uploaded, order.folders) : []
  for (const each of [...single, ...roots]) known.set(each.path, unmerged(each))
  tell([...known.values()])
  const options = { signal, index: order.index }
  const byId = new Map(single.map((file) => [file.id, file]))
  for await (const outcomes of mergeFiles(items, [...byId.keys()], options)) {
    for (const { id, item, refusal } of outcomes) {
      const file = byId.get(id)
      if (file) put(item ? orderItemOf(item, file.path) : refused(file, refusal ? sentenceOf(refusal) : ''))
    }
  }
  for (const root of roots) await mergeFolder(root, put, options)
}

/** The top folders of these files, with their sizes. */
function rootsOf(uploaded: readonly Merged[], folderIds: Order['folders'] = {}): Merged[] {
  const names = new Set(uploaded.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0] ?? ''] : [])))
  return [...names].flatMap((path) => {
    const id = folderIds[path]
    const size = uploaded.reduce((sum, file) => sum + (file.path.startsWith(`${path}/`) ? file.size : 0), 0)
    return id === undefined ? [] : [{ id, path, size }]
  })
}

interface HowMerged {
  signal: AbortSignal
  index: boolean | undefined
}

interface Merged {
  id: string
  path: string
  size: number
}

async function mergeFolder(folder: Merged, put: (item: OrderItem) => void, options: HowMerged) {
  try {
    put(orderItemOf(await folders.merge(folder.id, options), folder.path))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    put(refused(folder, sentenceOf(error)))
  }
}

type MergedItem = Pick<Item, 'id' | 'name' | 'size' | 'status' | 'written' | 'confirmed'> & {
  message?: string | null | undefined
  transactions?: number | null | undefined
}

/** An item as an order stores it. */
export function orderItemOf(item: MergedItem, name = item.name): OrderItem {
  return {
    id: item.id,
    name,
    size: item.size,
    state: itemState(item),
    message: item.message ?? undefined,
    transactions: item.transactions ?? 0,
    written: item.written,
    confirmed: item.confirmed,
  }
}

function unmerged({ id, path, size }: Merged): OrderItem {
  return { id, name: path, size, state: 'uploading', message: undefined, transactions: 0, written: 0, confirmed: 0 }
}

function refused(merged: Merged, message: string): OrderItem {
  return { ...unmerged(merged), state: 'refused', message }
}
