import type { Client } from '../../client/create-client.ts'
import { itemState } from '../../client/item-state.ts'
import type { Item } from '../../client/types.ts'
import type { Context } from '../run/context.ts'

/**
 * Waits until each item is stored or has stopped, and returns them as they are then. Progress counts transactions for a
 * single item that has some, else items.
 */
export async function waitForItems(
  { output, signal }: Context,
  client: Client,
  ids: readonly string[],
): Promise<Item[]> {
  const ended = new Map<string, Item>()
  for await (const item of client.watch(ids, { signal })) {
    if (item.status === '200 OK' || item.status === '409 Conflict') {
      ended.set(item.id, item)
      output.event({ type: 'state', id: item.id, state: itemState(item) })
    }
    const { transactions: total = 0, confirmed } = item
    output.step(
      ids.length === 1 && total > 0
        ? { step: 'writing', done: Math.min(confirmed, total), total, unit: 'transactions' }
        : { step: 'writing', done: ended.size, total: ids.length, unit: 'items' },
    )
  }
  output.endStep()
  return ids.flatMap((id) => ended.get(id) ?? [])
}
