import { Hono } from 'hono'
import { type CacheName, selectAdmissions } from '../../../content/cache/admissions.ts'
import { now } from '../../../platform/clock.ts'
import { CACHE_DAYS } from '../../../platform/config/fixed-limits.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'

/** GET /v0/cache: the hourly limits of both caches, and what was stored in each hour (docs/behaviour/content.md) */
export const cache = new Hono<AppEnv>()

cache.get('/', requireToken('operate'), async (c) => {
  const { cacheBytesPerHour: bytesPerHour } = c.get('config')
  const admitted = await selectAdmissions(c.env.DB, now())
  const describe = (name: CacheName) => ({ bytesPerHour, days: CACHE_DAYS, admitted: admitted[name] })
  return c.json({ chain: describe('chain'), ipfs: describe('ipfs') })
})
