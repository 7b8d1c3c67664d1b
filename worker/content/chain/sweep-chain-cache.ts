import type { Env } from '../../platform/bindings.ts'
import { CACHE_DAYS } from '../../platform/config/fixed-limits.ts'
import { deleteOldAdmissions } from '../cache/admissions.ts'
import { sweepCache } from '../cache/sweep-cache.ts'
import { BLOCK_LISTS_PREFIX, RECORD_PREFIX } from './bucket-records.ts'
import { DECODED_PREFIX } from './decoded-content.ts'
import { FETCHERS } from './fetcher-name.ts'
import { INDEX_PREFIX, NAMED_PREFIX, PARTS_PREFIX, SITE_PREFIX } from './list-mark.ts'
import { PACK_PREFIX } from './packs.ts'

/** What expires without an index that names it. */
const PREFIXES = [
  RECORD_PREFIX,
  BLOCK_LISTS_PREFIX,
  DECODED_PREFIX,
  SITE_PREFIX,
  INDEX_PREFIX,
  NAMED_PREFIX,
  PARTS_PREFIX,
]

const MINUTE = 60_000
const DAY = 86_400_000

/**
 * Deletes expired entries in the bucket and in the storage of the fetchers (one fetcher a minute). Each run does a bounded
 * part, and the next run continues.
 */
export async function sweepChainCache(env: Env, now: number): Promise<void> {
  const oldest = now - CACHE_DAYS * DAY
  for (const prefix of PREFIXES) await sweepCache(env, prefix, oldest)
  // A pack is removed from the index before it is deleted.
  await sweepCache(env, PACK_PREFIX, oldest - DAY)
  await deleteOldAdmissions(env.DB, now)
  await env.CONTENT_FETCHER.getByName(String(Math.floor(now / MINUTE) % FETCHERS)).sweep(now)
}
