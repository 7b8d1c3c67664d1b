/** A cache in the bucket that strangers fill: what was read from chains, or blocks from gateways. */
export type CacheName = 'chain' | 'ipfs'

const HOUR = 3_600_000
/** Hours whose counts are stored, for the operator's view. */
const HOURS_KEPT = 7 * 24

/**
 * Counts `bytes` as admitted to a cache in the hour of `now`, if that hour has them left of `maxBytes`; `false` when it
 * does not, and then nothing is counted.
 */
export async function insertAdmission(
  db: D1Database,
  cache: CacheName,
  bytes: number,
  maxBytes: number,
  now: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO cache_admissions (cache, hour, bytes) SELECT ?1, ?2, ?3 WHERE ?3 <= ?4
       ON CONFLICT (cache, hour) DO UPDATE SET bytes = bytes + excluded.bytes WHERE bytes + excluded.bytes <= ?4`,
    )
    .bind(cache, hourOf(now), bytes, maxBytes)
    .run()
  return meta.changes > 0
}

/** Bytes admitted to each cache in the hour of `now`; parts that were reserved and not used count as well. */
export async function selectAdmissions(db: D1Database, now: number): Promise<Record<CacheName, number>> {
  const { results } = await db
    .prepare('SELECT cache, bytes FROM cache_admissions WHERE hour = ?')
    .bind(hourOf(now))
    .all<{ cache: CacheName; bytes: number }>()
  const bytesOf = (cache: CacheName) => results.find((row) => row.cache === cache)?.bytes ?? 0
  return { chain: bytesOf('chain'), ipfs: bytesOf('ipfs') }
}

/** Forgets the counts of hours long past. */
export async function deleteOldAdmissions(db: D1Database, now: number): Promise<void> {
  await db
    .prepare('DELETE FROM cache_admissions WHERE hour < ?')
    .bind(hourOf(now) - HOURS_KEPT)
    .run()
}

/** Whole hours since 1970. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR)
}
