import type { Env } from '../../../platform/bindings.ts'
import { LookupLimit } from '../../../platform/flow/lookup-limit.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { unavailable } from '../../../platform/http/errors.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { type SiteAddress, selectAddress } from '../sql/site-addresses.ts'

/** How long (ms) it is cached what a label is, or that it is nothing. */
const FRESH_MS = 30_000
/** Bytes of a cached label. */
const KNOWN_BYTES = 200

/** Lookups of labels that are no address as far as this isolate knows. */
const lookups = new LookupLimit()

/** Of this isolate. */
const known = new MemoryCache<{ address: SiteAddress | undefined; at: number }>(1 << 10)

/**
 * The address that a label is; `undefined` where it is none. While D1 is not available, what was cached is used. Labels that
 * are no address as far as this isolate knows are looked up a limited number of times a minute; `count` runs before that.
 * @throws {AppError} 503 past that, and what `count` throws.
 */
export async function resolveAddress(
  { DB: db }: Pick<Env, 'DB'>,
  label: string,
  now: number,
  count: () => Promise<void>,
): Promise<SiteAddress | undefined> {
  const last = known.get(label)
  if (last && isFresh(last, now)) return last.address
  if (last?.address) return await lookUp(db, label, last.address, now)
  await count()
  if (!lookups.hasRoom(now)) {
    throw unavailable('busy', 'Too many unknown addresses are being looked up right now. Try again in a minute.', {
      retryAfter: LookupLimit.retryAfter,
    })
  }
  // Names that exist are as many as were paid for.
  return await lookups.run(
    () => lookUp(db, label, undefined, now),
    (found) => found !== undefined,
  )
}

async function lookUp(db: D1Database, label: string, last: SiteAddress | undefined, now: number) {
  try {
    const address = await selectAddress(db, label)
    known.set(label, { address, at: now }, KNOWN_BYTES)
    return address
  } catch (error) {
    if (!last) throw error
    logOnceAMinute('error', 'known_address_served', label, 'D1 does not answer', error)
    return last
  }
}

function isFresh({ at }: { at: number }, now: number): boolean {
  return Math.abs(now - at) < FRESH_MS
}

/** Whether a label is the address of a site by a cached record that has not expired; `now` is in ms since 1970. */
export function leadsTo(label: string, site: string, now: number): boolean {
  const last = known.get(label)
  return last?.address?.siteId === site && last.address.untilAt === null && isFresh(last, now)
}

/** Evicts a label from the cache. */
export function evictAddress(label: string): void {
  known.delete(label)
}
