import type { Env } from '../../platform/bindings.ts'
import { type RawSettings, readConfig } from '../../platform/config/read-config.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { type CacheName, hourOf, insertAdmission } from './admissions.ts'

/** What an isolate reserves at a time (bytes), so that D1 is not asked about each block. */
const RESERVED_BYTES = 8 << 20
/** The least bytes that an object in R2 is counted as, because an object costs more than its bytes. */
const MIN_OBJECT_BYTES = 4096

/** What is left of an isolate's reservation in an hour. */
interface Reservation {
  hour: number
  left: number
  /** Nothing of that hour is left to reserve. */
  spent: boolean
}

const reservations = new MemoryCache<Reservation>(0)

/**
 * Whether `bytes` may be stored in a cache: each hour has so many, by the operator's setting. Past them content is served
 * and not stored. D1 out of reach: nothing is admitted.
 */
export async function admitToCache(
  env: RawSettings & Pick<Env, 'DB'>,
  cache: CacheName,
  bytes: number,
  now: number,
): Promise<boolean> {
  const counted = Math.max(bytes, MIN_OBJECT_BYTES)
  const { cacheBytesPerHour: bytesPerHour } = readConfig(env)
  const reservation = reservationOf(cache, now)
  if (reservation.left < counted) {
    if (reservation.spent || counted > bytesPerHour) return false
    const wanted = Math.max(counted, Math.min(RESERVED_BYTES, Math.floor(bytesPerHour / 64)))
    try {
      if (await insertAdmission(env.DB, cache, wanted, bytesPerHour, now)) reservation.left += wanted
      else if (wanted < bytesPerHour / 16) {
        reservation.spent = true
        console.warn('cache_budget_spent', cache, new Date(now).toISOString())
      }
    } catch (error) {
      logOnceAMinute('error', 'cache_budget_unavailable', cache, error)
    }
  }
  if (reservation.left < counted) return false
  reservation.left -= counted
  return true
}

function reservationOf(cache: CacheName, now: number): Reservation {
  const hour = hourOf(now)
  const known = reservations.get(cache)
  if (known?.hour === hour) return known
  const fresh = { hour, left: 0, spent: false }
  reservations.set(cache, fresh, 0)
  return fresh
}
