import { Hono } from 'hono'
import { health } from '../features/health/routes/health.ts'
import { isDomainName } from '../features/sites/domains/match-domain.ts'
import { selectDomain } from '../features/sites/sql/domains.ts'
import type { Config } from '../platform/config/config.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { notFound } from '../platform/http/errors.ts'
import { classifyHost } from './classify-host.ts'

/** What is for the machine itself: how the service is, figures for its monitor, and which hosts its proxy may get certificates for. */
export const internalApp = new Hono<AppEnv>()

internalApp.use(async (c, next) => {
  c.set('config', readConfig(c.env))
  await next()
  c.res.headers.set('Cache-Control', 'no-store')
})

internalApp.get('/metrics', async (c) => (await import('../features/operate/watch-entry.ts')).answerMetrics(c))

internalApp.route('/v0/health', health)

/** GET /internal/tls?domain=: 200 where a certificate may be made for a host, as Caddy asks before it asks for one. */
internalApp.get('/internal/tls', async (c) => {
  const host = (c.req.query('domain') ?? '').toLowerCase()
  if (!(await mayHaveCertificate(c.env.DB, c.get('config'), host))) throw notFound(`Nobody has proven this host here.`)
  return c.text(`${host}\n`)
})

internalApp.notFound((c) => answerError(notFound('There is nothing at this path.'), c))

internalApp.onError((error, c) => answerError(error, c))

/**
 * Whether a host is the API's, the storage host, or one that a user has proven here. Names below the storage host have a
 * wildcard certificate: one for each would be as many as anybody can name. A name that nobody claimed costs one read by
 * the key of a table, and no question to DNS.
 */
async function mayHaveCertificate(
  db: D1Database,
  config: Pick<Config, 'baseUrl' | 'storageHost'>,
  host: string,
): Promise<boolean> {
  if (!isDomainName(host)) return false
  const { kind } = classifyHost(host, config)
  if (kind === 'api' || kind === 'storage') return true
  return kind === 'domain' && (await selectDomain(db, host)) !== undefined
}
