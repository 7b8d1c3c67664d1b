import type { Env } from '../../../platform/bindings.ts'
import { CACHE_DAYS } from '../../../platform/config/fixed-limits.ts'
import { sweepCache } from '../../cache/sweep-cache.ts'
import { CACHED_BLOCK_PREFIX, IPNS_RECORD_PREFIX } from './block-key.ts'

const DAY = 86_400_000

/** Removes blocks and records of gateways and routers that are past their age, some thousand a run. */
export async function sweepIpfsCache(env: Env, now: number): Promise<void> {
  const oldest = now - CACHE_DAYS * DAY
  await sweepCache(env, CACHED_BLOCK_PREFIX, oldest)
  await sweepCache(env, IPNS_RECORD_PREFIX, oldest)
}
