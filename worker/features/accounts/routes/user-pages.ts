import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'

const links = () => import('../mailed-links.ts')

/** The pages that mailed links open, under /v0/user. */
export const userPages = new Hono<AppEnv>()

for (const [path, kind] of [
  ['/verify', 'verify'],
  ['/password', 'reset'],
  ['/email', 'email'],
] as const) {
  userPages.get(path, async (c) => (await links()).showPage(c, kind))
  userPages.post(path, async (c) => (await links()).takeForm(c, kind))
}
