import { Hono } from 'hono'
import { VERSION } from '../../../../contract/version.ts'
import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { checkHealth, type Health } from '../check-health.ts'

/** GET /v0/health */
export const health = new Hono<AppEnv>()

/** Milliseconds that an answer is cached, so that frequent requests do not reach the nodes each time. */
const KEPT = 5_000

const last = new MemoryCache<{ env: Env; at: number; health: Health }>(0)

health.get('/', async (c) => {
  const { env } = c
  let known = last.get('health')
  if (known?.env !== env || now() - known.at >= KEPT) {
    known = { env, at: now(), health: await checkHealth(env) }
    last.set('health', known, 0)
  }
  const build = { version: VERSION, ...(env.DEPLOYMENT?.tag ? { commit: env.DEPLOYMENT.tag } : {}) }
  if (known.health.status === 'ok') return c.json({ ...build, ...known.health })
  const message = `This service is not whole right now. Down: ${namesOfDown(known.health).join(', ')}.`
  return c.json({ ...build, ...known.health, message, code: 'unhealthy' }, 503, { 'Retry-After': '5' })
})

function namesOfDown({ chains, storage }: Health): string[] {
  const down = Object.entries(chains).flatMap(([name, chain]) => ('status' in chain ? [name] : []))
  return storage === 'down' ? [...down, 'storage'] : down
}
