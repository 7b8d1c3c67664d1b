import { Hono } from 'hono'
import type { Env } from '../platform/bindings.ts'
import { configOrNothing, readConfig } from '../platform/config/read-config.ts'
import { methodNotAllowed } from '../platform/http/allowed-methods.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { answerOptions } from '../platform/http/cors.ts'
import { AppError, noSuchPath } from '../platform/http/errors.ts'
import { classifyHost } from './classify-host.ts'
import { clientUrl } from './client-url.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishSiteHeaders } from './finish-site-headers.ts'
import { requireHttps } from './require-https.ts'

const METHODS = ['GET', 'HEAD']
/** What pages of inscriptions may load: all of it is on their host. */
const LOADED = ['/content/', '/r/', '/blockheight', '/blockhash', '/blockhash/', '/blocktime']

/** `<chain>.<storage host>`: what others wrote on a chain, by the paths of ord's server that their pages name. */
export const chainApp = new Hono<AppEnv>()

chainApp.use(
  finishAnswers((headers, c) => {
    finishSiteHeaders(headers, c.req.url)
    headers.set('Content-Security-Policy', policyOf(c.req.raw, c.env))
  }),
)
chainApp.use(requireHttps())

chainApp.all('*', async (c) => {
  if (c.req.method === 'OPTIONS') return answerOptions(METHODS)
  if (!METHODS.includes(c.req.method)) throw methodNotAllowed(METHODS)
  if (c.req.header('Service-Worker') === 'script') {
    throw new AppError(403, 'service_worker_scope', 'No service worker may be registered on this host.')
  }
  const config = readConfig(c.env)
  c.set('config', config)
  const url = clientUrl(c.req.raw, config)
  const host = classifyHost(url.host, config)
  if (host.kind !== 'chain') throw noSuchPath()
  const { answerChainPath } = await import('../features/retrieval/chain-host/answer-chain-path.ts')
  return await answerChainPath(c, host.blockchain, url.pathname)
})

chainApp.onError((error, c) => answerError(error, c))

/**
 * The one policy of every answer: without `allow-same-origin` each document has an origin of its own, so that one host can serve
 * all; the host is spelled out, because 'self' is no origin of a sandbox, and Safari takes no path without one.
 */
function policyOf(request: Request, env: Env): string {
  const config = configOrNothing(env)
  const { origin } = config ? clientUrl(request, config) : new URL(request.url)
  const loaded = LOADED.map((path) => origin + path).join(' ')
  return `sandbox allow-scripts; default-src ${loaded} 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'none'; base-uri 'none'`
}
