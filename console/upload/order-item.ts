import { itemState } from '../../client/item-state.ts'
import type { Merged } from '../../client/store/upload.ts'
import type { Item } from '../../client/types.ts'
import { sentenceOf } from '../api/failure.ts'
import type { OrderItem } from '../core/order.ts'

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

/** What becomes one item, of `size` bytes, as an order stores it. */
export function orderItemOfMerge({ id, path, item, refusal }: Merged, size: number): OrderItem {
  if (item) return orderItemOf(item, path)
  const state = refusal ? 'refused' : 'uploading'
  const message = refusal && sentenceOf(refusal)
  return { id, name: path, size, state, message, transactions: 0, written: 0, confirmed: 0 }
}
