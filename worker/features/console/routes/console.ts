import { type Context, Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { relyingParty } from '../../auth/passkeys/relying-party.ts'
import { consoleOrigins } from '../console-origins.ts'

/** GET /console and below: the page that people store files with. */
export const consolePages = new Hono<AppEnv>()

consolePages.get('/', answer)
consolePages.get('/settings', (c) => {
  const config = c.get('config')
  const { letter = null, outbox = null, faucet = null } = config.console
  const { help = null, terms = null, privacy = null, contact = null } = config.console
  const { storageOrigin } = consoleOrigins(c.req.url, config)
  return c.json({
    storageOrigin,
    letter,
    passkeys: relyingParty(c.req.url, config) !== undefined,
    domains: config.dohUrl !== undefined,
    outbox,
    faucet,
    help,
    terms,
    privacy,
    contact,
  })
})
consolePages.get('/*', answer)

async function answer(c: Context<AppEnv>): Promise<Response> {
  const [{ answerConsole }, { storeConsoleBuild }] = await Promise.all([
    import('../answer-console.ts'),
    import('../console-builds.ts'),
  ])
  c.executionCtx.waitUntil(storeConsoleBuild(c.env.BUCKET, now()))
  return await answerConsole(c.req.raw, c.req.path, c.get('config'), c.env.BUCKET)
}
