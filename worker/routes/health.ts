import { Hono } from 'hono'
import type { AppEnv } from '../app.ts'

/** GET /v0/health */
export const health = new Hono<AppEnv>()

health.get('/', (c) => c.json({ status: 'ok', chains: {}, storage: 'ok' }))
