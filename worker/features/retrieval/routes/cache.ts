import { Hono } from 'hono'
import { selectAdmissions } from '../../../content/cache/admissions.ts'
import { now } from '../../../platform/clock.ts'
import type { CacheName } from '../../../platform/config/config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'

/** GET /v0/cache: the hourly limits of both caches, and what was stored in each hour (docs/behaviour/content.md) */
export const cache = new Hono<AppEnv>()

cache.get('/', requireToken('operate'), async (c) => {
  const { caches } = c.get('config')
  const admitted = await selectAdmissions(c.env.DB, now())
  const describe = (name: CacheName) => ({ ...caches[name], admitted: admitted[name] })
  return c.json({ chain: describe('chain'), ipfs: describe('ipfs') })
})
