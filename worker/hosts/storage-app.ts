import { type Context, Hono } from 'hono'
import { answerGet, answerPath } from '../content/chain/answer-content.ts'
import { securityTxt } from '../features/docs/routes/security-txt.ts'
import { ipfs } from '../features/retrieval/routes/ipfs.ts'
import { ipns } from '../features/retrieval/routes/ipns.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { allowedMethods, methodNotAllowed } from '../platform/http/allowed-methods.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { answerOptions, isGatewayPath } from '../platform/http/cors.ts'
import { AppError, noSuchPath } from '../platform/http/errors.ts'
import { finishHeaders } from '../platform/http/finish-headers.ts'
import { clientUrl } from './client-url.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishSiteHeaders } from './finish-site-headers.ts'
import { finishTransport, requireHttps } from './require-https.ts'

/** The storage host itself: the path gateway, pages of chains by their txids, and nothing else. */
export const storageApp = new Hono<AppEnv>()

storageApp.use(
  finishAnswers((headers, c, ok) => {
    const { path } = c.req
    // As the API says it: the answer is the same.
    const asked = isPagePath(path) ? `/v0${path}` : path
    if (isGatewayPath(path) || isPagePath(path)) {
      finishHeaders(headers, { path: asked, ok, origin: null, consoleOrigins: [] })
    } else finishSiteHeaders(headers, c.req.url)
    finishTransport(headers, c.env)
  }),
)
storageApp.use(requireHttps())
storageApp.use(async (c, next) => {
  if (c.req.method === 'OPTIONS' && (isGatewayPath(c.req.path) || isPagePath(c.req.path)))
    return answerOptions(['GET', 'HEAD'])
  c.set('config', readConfig(c.env))
  return (await redirectToSubdomain(c)) ?? (await next())
})
storageApp.route('/ipfs', ipfs)
storageApp.route('/ipns', ipns)
storageApp.route('/', securityTxt)
storageApp.get('/web/:blockchain/:txids', (c) => answerGet(c, 'web', c.req.param('blockchain'), c.req.param('txids')))
storageApp.get('/web/:blockchain/:txids/*', (c) => answerPath(c, c.req.param('blockchain'), c.req.param('txids')))

storageApp.notFound((c) => {
  const methods = allowedMethods(storageApp, c.req.path)
  return answerError(methods.length === 0 ? noSuchPath() : methodNotAllowed(methods), c)
})

storageApp.onError((error, c) => answerError(error, c))

/** Whether a path is `/web/<chain>/<txids>`, or below it. */
function isPagePath(path: string): boolean {
  return /^\/web\/[^/]+\/[^/]+(?:\/|$)/.test(path)
}

/** The redirect to an origin of its own where `PATH_REDIRECT` asks for it. @throws {AppError} 400. */
async function redirectToSubdomain(c: Context<AppEnv>): Promise<Response | undefined> {
  const config = c.get('config')
  const { method, path } = c.req
  if (!config.pathRedirect || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (!/^\/ip[fn]s\/./.test(path) || /^\/ipfs\/hex\/./.test(path)) return undefined
  const { subdomainLocation } = await import('../content/ipfs/gateway/redirect-to-subdomain.ts')
  try {
    return c.redirect(subdomainLocation(clientUrl(c.req.raw, config), config.storageHost), 301)
  } catch (error) {
    // A browser shows this to a person, and other gateways' clients look for the sentence: plain text.
    if (error instanceof AppError) return c.text(error.message, error.status)
    throw error
  }
}
