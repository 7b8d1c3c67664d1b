import { type Context, Hono } from 'hono'
import { hook } from '../features/hook/routes/hook.ts'
import { content } from '../features/items/routes/content.ts'
import { tusDiscovery } from '../features/items/upload/tus-discovery.ts'
import { blob } from '../features/retrieval/routes/blob.ts'
import { chainContent } from '../features/retrieval/routes/chain-content.ts'
import { ipfs } from '../features/retrieval/routes/ipfs.ts'
import { ipns } from '../features/retrieval/routes/ipns.ts'
import { configOrNothing, readConfig } from '../platform/config/read-config.ts'
import { allowedMethods, methodNotAllowed } from '../platform/http/allowed-methods.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { answerOptions } from '../platform/http/cors.ts'
import { drainRejectedBody } from '../platform/http/drain-rejected-body.ts'
import { notFound } from '../platform/http/errors.ts'
import { finishHeaders } from '../platform/http/finish-headers.ts'
import { limitRequests } from '../platform/http/limit-requests.ts'
import { finishAnswers } from './finish-answers.ts'
import { redirectNavigations } from './redirect-navigations.ts'
import { finishTransport, requireHttps } from './require-https.ts'

/** An app with all that a request to the API host passes through, in its order, and the routes of retrieval. */
export function newApiApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(
    finishAnswers((headers, c, ok) => {
      const consoleOrigins = configOrNothing(c.env)?.consoleOrigins ?? []
      finishHeaders(headers, { path: c.req.path, ok, origin: c.req.header('Origin') ?? null, consoleOrigins })
      finishTransport(headers, c.env)
    }),
  )
  app.use(requireHttps())
  app.use(async (c, next) => {
    if (c.req.method === 'OPTIONS') return answerNoRoute(app, c)
    c.set('config', readConfig(c.env))
    return await next()
  })
  app.use(redirectNavigations())
  // Retrieval counts requests itself: what memory answers is less work than counting.
  app.route('/v0/blob', blob)
  app.route('/v0', chainContent)
  app.route('/v0/content', content)
  app.route('/ipfs', ipfs)
  app.route('/ipns', ipns)

  app.use('/v0/upload/*', drainRejectedBody())
  app.use('/v0/*', limitRequests())
  app.use('/v0/*', async (c, next) => {
    // `/v0/item/:id` also matches requests to `/v0/item/counts` with a method that path does not have.
    const methods = allowedMethods(app, c.req.path)
    if (methods.length > 0 && !methods.includes(c.req.method)) throw methodNotAllowed(methods)
    await next()
  })
  app.route('/', hook)
  app.notFound((c) => answerNoRoute(app, c))
  app.onError((error, c) => answerError(error, c))
  return app
}

/** What no route answers: OPTIONS, which every path that has a route does, another method than it has, or nothing. */
async function answerNoRoute(app: Hono<AppEnv>, c: Context<AppEnv>): Promise<Response> {
  const methods = allowedMethods(app, c.req.path)
  if (methods.length === 0) return answerError(noSuchRoute(), c)
  if (c.req.method !== 'OPTIONS') return answerError(methodNotAllowed(methods), c)
  const isUpload = /^\/v0\/upload(\/|$)/.test(c.req.path)
  return answerOptions(methods, isUpload ? tusDiscovery(configOrNothing(c.env)) : {})
}

export function noSuchRoute() {
  return notFound('There is nothing at this path. /docs lists all paths.')
}
