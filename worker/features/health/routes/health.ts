import { Hono } from 'hono'
import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { checkHealth, type Health } from '../check-health.ts'

/** GET /v0/health */
export const health = new Hono<AppEnv>()

/** Milliseconds that an answer is kept, so that whoever asks often does not ask the nodes as often. */
const KEPT = 5_000

let last = new WeakMap<Env, { at: number; health: Health }>()

health.get('/', async (c) => {
  let known = last.get(c.env)
  if (!known || now() - known.at >= KEPT) {
    known = { at: now(), health: await checkHealth(c.env) }
    last.set(c.env, known)
  }
  if (known.health.status === 'ok') return c.json(known.health)
  const message = `This service is not whole right now. Down: ${namesOfDown(known.health).join(', ')}.`
  return c.json({ ...known.health, message, code: 'unhealthy' }, 503, { 'Retry-After': '5' })
})

/** Makes this isolate ask the nodes again before its next answer. */
export function forgetHealth(): void {
  last = new WeakMap()
}

function namesOfDown({ chains, storage }: Health): string[] {
  const down = Object.entries(chains).flatMap(([name, chain]) => ('status' in chain ? [name] : []))
  return storage === 'down' ? [...down, 'storage'] : down
}
