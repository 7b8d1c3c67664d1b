import type { Env } from '../bindings.ts'
import { CHUNK_PREFIX } from '../storage/chunks.ts'
import { findKnownIds } from '../storage/items.ts'
import { STORED_PREFIX } from '../storage/stored-content.ts'
import { isObjectId } from './object-id.ts'

const DAY = 86_400_000

/** Objects looked at in a run, of each prefix. */
const PAGE = 500

/** How far back most runs begin to look; the others begin at the oldest. */
const WINDOW = 30 * DAY

/**
 * Deletes objects of items that are not there any more: a chunk may still have been on its way when its item was
 * deleted for good. Each run looks at one page from a random place on, so that no place has to be remembered;
 * `random` is from 0 to 1. Keys begin with the item's time, so a page is a stretch of time.
 */
export async function sweepOrphans(env: Pick<Env, 'DB' | 'BUCKET'>, now: number, random: number): Promise<void> {
  const since = now - random * WINDOW * 1.25
  const start = since < now - WINDOW ? '' : Math.floor(since / 1000).toString(16)
  const { PENDING_PREFIX } = await import('./ipfs-merge.ts')
  for (const prefix of [CHUNK_PREFIX, STORED_PREFIX, PENDING_PREFIX]) {
    const { objects } = await env.BUCKET.list({ prefix, startAfter: prefix + start, limit: PAGE })
    const idOf = (key: string) => key.slice(prefix.length).split('/')[0]
    const ids = new Set(objects.map(({ key }) => idOf(key)).filter(isObjectId))
    const known = await findKnownIds(env.DB, [...ids])
    const orphans = objects.filter(({ key, uploaded }) => {
      const id = idOf(key)
      // A young one may belong to an item that is being made.
      return isObjectId(id) && !known.has(id) && uploaded.getTime() < now - DAY
    })
    if (orphans.length > 0) await env.BUCKET.delete(orphans.map(({ key }) => key))
  }
}
