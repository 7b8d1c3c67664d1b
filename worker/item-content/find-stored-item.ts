import type { Env } from '../bindings.ts'
import { denylist, refuseDenied } from '../denylist/denylist.ts'
import { MemoryCache } from '../flow/memory-cache.ts'
import { type StoredItem, selectStoredItem } from '../storage/items/stored-items.ts'

/** How long (ms) an item that was stored is believed to be without asking D1 again. */
export const FRESH_MS = 60_000

const remembered = new MemoryCache<{ item: StoredItem; at: number }>(8 << 20, 2 << 20)

/** Whether an item's record is in memory. */
export function isRemembered(id: string): boolean {
  return remembered.get(id) !== undefined
}

/**
 * The stored item with this object id, its denials checked; `undefined` when there is none, or it is not stored
 * yet. While D1 is out of reach, what was known holds.
 * @throws {AppError} 451, 503.
 */
export async function findStoredItem(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  id: string,
  now = Date.now(),
): Promise<StoredItem | undefined> {
  if (!/^[0-9a-f]{24}$/.test(id)) return undefined
  const denied = await denylist(env, ctx)
  refuseDenied(denied, { item: id })
  const known = remembered.get(id)
  const item = known && now - known.at < FRESH_MS ? known.item : await lookUp(env, id, known?.item, now)
  if (item) refuseDenied(denied, { txids: item.txids, cids: item.cid ? [item.cid] : [] })
  return item
}

async function lookUp(
  env: Env,
  id: string,
  known: StoredItem | undefined,
  now: number,
): Promise<StoredItem | undefined> {
  let item: StoredItem | undefined
  try {
    item = await selectStoredItem(env.DB, id)
  } catch (error) {
    if (!known) throw error
    console.error('D1 does not answer; a known item is served', error)
    return known
  }
  if (item) remembered.set(id, { item, at: now }, 500 + 66 * item.txids.length)
  else remembered.delete(id)
  return item
}
