import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import { now } from '../clock.ts'
import type { CacheName } from '../config/config.ts'
import type { AppEnv } from '../http/app-env.ts'
import { selectAdmissions } from '../storage/cache/admissions.ts'

/** /v0/cache (docs/behaviour.md, section 5) */
export const cache = new Hono<AppEnv>()

cache.get('/', requireToken('operate'), async (c) => {
  const { caches } = c.get('config')
  const admitted = await selectAdmissions(c.env.DB, now())
  const tell = (name: CacheName) => ({ ...caches[name], admitted: admitted[name] })
  return c.json({ chain: tell('chain'), ipfs: tell('ipfs') })
})
