import { denylist, refuseDenied } from '../../content/denylist/denylist.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { findStoredItem } from '../items/content/find-stored-item.ts'
import type { StoredItem } from '../items/sql/stored-items.ts'
import { type ShownVersion, selectShown } from './sql/sites.ts'

/**
 * How long (ms) the current item of a site is cached. Answers of a site are revalidated each time, so this is the age of all
 * caches together, with room for an answer that takes half a minute.
 */
const FRESH_MS = 30_000
/** Bytes of a cached site. */
const SHOWN_BYTES = 100

/** Of this isolate. */
const cache = new MemoryCache<{ shown: ShownVersion; at: number }>(1 << 10)

/** An item that a host shows: its own, or the current version of a site. */
export interface ShownItem {
  item: StoredItem
  /** The site whose current version it is, and that version's number. */
  site: { id: string; version: number } | undefined
}

/**
 * What the id in a host name, of an item or a site, shows; `undefined` when that is nothing. While D1 is not available,
 * what was cached is used.
 * @throws {AppError} 451 for an item or a site on the denylist, 503.
 */
export async function findShownItem(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  id: string,
  time = now(),
): Promise<ShownItem | undefined> {
  if (cache.get(id) === undefined) {
    const item = await findStoredItem(env, ctx, id, time)
    if (item) return { item, site: undefined }
  }
  refuseDenied(await denylist(env, ctx), { item: id })
  const shown = await currentVersion(env, id, time)
  const item = shown && (await findStoredItem(env, ctx, shown.itemId, time))
  return item && { item, site: { id, version: shown.number } }
}

/** Whether a site shows an item by a cached record that has not expired; `time` is in ms since 1970. */
export function showsItem(site: string, itemId: string, time: number): boolean {
  const known = cache.get(site)
  return known !== undefined && known.shown?.itemId === itemId && time - known.at < FRESH_MS
}

/** Evicts a site from the cache. */
export function evictSite(site: string): void {
  cache.delete(site)
}

async function currentVersion(env: Env, site: string, time: number): Promise<ShownVersion> {
  const known = cache.get(site)
  if (known && time - known.at < FRESH_MS) return known.shown
  try {
    const found = await selectShown(env.DB, site)
    if (found) cache.set(site, { shown: found.shown, at: time }, SHOWN_BYTES)
    else cache.delete(site)
    return found?.shown
  } catch (error) {
    if (!known) throw error
    logOnceAMinute('error', 'known_version_served', site, 'D1 does not answer', error)
    return known.shown
  }
}
