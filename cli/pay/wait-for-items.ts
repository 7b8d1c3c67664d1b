import type { Client } from '../../client/create-client.ts'
import { itemState } from '../../client/item-state.ts'
import type { Item } from '../../client/types.ts'
import { sleep } from '../../reader/sleep.ts'
import type { Context } from '../run/context.ts'

const POLL_INTERVAL_MS = 2_000
/** Items that are polled in one round. */
const ITEMS_PER_POLL = 20

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
  const open = new Set(ids)
  for (;;) {
    let latest: Item | undefined
    for (const id of [...open].slice(0, ITEMS_PER_POLL)) {
      latest = await client.items.get(id, { signal })
      if (latest.status !== '200 OK' && latest.status !== '409 Conflict') continue
      open.delete(id)
      ended.set(id, latest)
      output.event({ type: 'state', id, state: itemState(latest) })
    }
    const total = latest?.transactions
    output.step(
      ids.length === 1 && latest && total !== undefined && total > 0
        ? { step: 'writing', done: Math.min(latest.confirmed, total), total, unit: 'transactions' }
        : { step: 'writing', done: ended.size, total: ids.length, unit: 'items' },
    )
    if (open.size === 0) break
    await sleep(POLL_INTERVAL_MS, signal)
  }
  output.endStep()
  return ids.flatMap((id) => ended.get(id) ?? [])
}
