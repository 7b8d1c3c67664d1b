import { Hono } from 'hono'
import { answerAddress } from '../features/sites/addresses/answer-address.ts'
import { answerSite } from '../features/sites/answer-site.ts'
import { answerHostCheck, HOST_CHECK_PATH } from '../features/sites/domains/answer-host-check.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { methodNotAllowed } from '../platform/http/allowed-methods.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { answerOptions, isPreflight } from '../platform/http/cors.ts'
import { noSuchPath } from '../platform/http/errors.ts'
import { classifyHost, isProofOfHost } from './classify-host.ts'
import { clientUrl } from './client-url.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishSiteHeaders } from './finish-site-headers.ts'
import { isPlainHttp, secureUrl } from './require-https.ts'

const METHODS = ['GET', 'HEAD']

/** `<object_id>.<storage host>`, `<address>.<storage host>` and domains of users: one item, on an origin of its own. */
export const siteApp = new Hono<AppEnv>()

siteApp.use(finishAnswers((headers, c) => finishSiteHeaders(headers, c.req.url)))

siteApp.all('*', async (c) => {
  const config = readConfig(c.env)
  c.set('config', config)
  const url = clientUrl(c.req.raw, config)
  // Nothing answers there by any method: an Allow would promise otherwise.
  if (isReservedPath(url.pathname)) throw noSuchPath()
  if (isPlainHttp(c.req.raw, config)) return c.body(null, 308, { Location: secureUrl(c.req.raw, config) })
  // Any page may read a site, so any page may ask whether it may.
  if (isPreflight(c.req.raw)) return answerOptions(METHODS)
  if (!METHODS.includes(c.req.method)) throw methodNotAllowed(METHODS)
  const host = classifyHost(url.host, config)
  if (host.kind === 'address') return await answerAddress(c, url, host.label)
  if (url.pathname === HOST_CHECK_PATH) return await answerHostCheck(c, host)
  if (host.kind === 'item') return await answerSite(c, url, { id: host.id })
  if (host.kind === 'domain') return await answerSite(c, url, { domain: host.host })
  throw noSuchPath()
})

siteApp.onError((error, c) => answerError(error, c))

/** Whether a path of a site's host is not the site's: the API's own, and proofs of who runs the host. */
function isReservedPath(pathname: string): boolean {
  return /^\/v0(?:\/|$)/.test(pathname) || isProofOfHost(pathname)
}
