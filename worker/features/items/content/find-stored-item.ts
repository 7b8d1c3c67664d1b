import { parseMediaType } from '../../../../contract/media-type.ts'
import { isObjectId } from '../../../../protocol/object-id.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { BYTES_TYPE } from '../../../platform/http/media-types.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { type StoredItem, selectStoredItem } from '../sql/stored-items.ts'

/** How long (ms) the record of a stored item is cached. */
const FRESH_MS = 60_000

const cache = new MemoryCache<{ item: StoredItem; at: number }>(2 << 20)

/** Whether an item's record is in memory. */
export function isCached(id: string): boolean {
  return cache.get(id) !== undefined
}

/** Has the record of an item that has changed be read again; other isolates do so within a minute. */
export function forgetStoredItem(id: string): void {
  cache.delete(id)
}

/** Whether an item is as it is here, and not taken down, by a cached record that has not expired; `time` is in ms since 1970. */
export function isUnchanged(
  { id, name, typeChanges }: Pick<StoredItem, 'id' | 'name' | 'typeChanges'>,
  time: number,
): boolean {
  const known = cache.get(id)
  if (known === undefined || !isFresh(known, time)) return false
  const { item } = known
  return item.typeChanges === typeChanges && item.name === name && item.removedAt === undefined
}

const isFresh = ({ at }: { at: number }, time: number) => time - at < FRESH_MS

/**
 * The stored item with this object id, its denials checked; `undefined` when there is none, or it is not stored
 * yet. While D1 is not available, an expired record is used.
 * @throws {AppError} 410 for one that was taken down, 451, 503.
 */
export async function findStoredItem(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  id: string,
  time = now(),
): Promise<StoredItem | undefined> {
  if (!isObjectId(id)) return undefined
  const denied = await denylist(env, ctx)
  refuseDenied(denied, { item: id })
  const known = cache.get(id)
  const item = known && isFresh(known, time) ? known.item : await lookUp(env, id, known?.item, time)
  if (item) {
    const { txids, cid, directoryCid } = item
    refuseDenied(denied, { txids, cids: [cid, directoryCid].filter((one) => one !== undefined) })
    if (item.removedAt !== undefined) {
      throw new AppError(410, 'taken_down', 'The owner of this item has taken it down.')
    }
  }
  return item
}

async function lookUp(
  env: Env,
  id: string,
  known: StoredItem | undefined,
  time: number,
): Promise<StoredItem | undefined> {
  let item: StoredItem | undefined
  try {
    item = withSafeType(await selectStoredItem(env.DB, id))
  } catch (error) {
    if (!known) throw error
    logOnceAMinute('error', 'known_item_served', id, 'D1 does not answer', error)
    return known
  }
  if (item) cache.set(id, { item, at: time }, 500 + 66 * item.txids.length)
  else cache.delete(id)
  return item
}

/** Items that were made when more media types were accepted are sent as bytes of no known type. */
function withSafeType(item: StoredItem | undefined): StoredItem | undefined {
  if (item === undefined || parseMediaType(item.mimetype) !== undefined) return item
  return { ...item, mimetype: BYTES_TYPE }
}
