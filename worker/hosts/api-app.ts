import { type Context, Hono } from 'hono'
import { configOrNothing, readConfig } from '../config/read-config.ts'
import { allowedMethods, methodNotAllowed } from '../http/allowed-methods.ts'
import { answerError } from '../http/answer-error.ts'
import type { AppEnv } from '../http/app-env.ts'
import { answerOptions } from '../http/cors.ts'
import { drainRefused } from '../http/drain-refused.ts'
import { notFound } from '../http/errors.ts'
import { finishHeaders } from '../http/finish-headers.ts'
import { limitRequests } from '../http/limit-requests.ts'
import { tusDiscovery } from '../items/upload/tus-discovery.ts'
import { audit } from '../routes/audit.ts'
import { blob } from '../routes/blob.ts'
import { cache } from '../routes/cache.ts'
import { chunk } from '../routes/chunk.ts'
import { consolePages } from '../routes/console.ts'
import { consoleSession } from '../routes/console-session.ts'
import { content } from '../routes/content.ts'
import { denied } from '../routes/denied.ts'
import { docs } from '../routes/docs.ts'
import { domain } from '../routes/domain.ts'
import { events } from '../routes/events.ts'
import { folder } from '../routes/folder.ts'
import { frame } from '../routes/frame.ts'
import { health } from '../routes/health.ts'
import { hook } from '../routes/hook.ts'
import { importIpfs } from '../routes/import-ipfs.ts'
import { ipfs } from '../routes/ipfs.ts'
import { ipns } from '../routes/ipns.ts'
import { item } from '../routes/item.ts'
import { ledger } from '../routes/ledger.ts'
import { operate } from '../routes/operate.ts'
import { passkeys } from '../routes/passkeys.ts'
import { payment } from '../routes/payment.ts'
import { report } from '../routes/report.ts'
import { securityTxt } from '../routes/security-txt.ts'
import { site } from '../routes/site.ts'
import { targets } from '../routes/targets.ts'
import { token } from '../routes/token.ts'
import { tx } from '../routes/tx.ts'
import { upload } from '../routes/upload.ts'
import { user } from '../routes/user.ts'
import { userKeys } from '../routes/user-keys.ts'
import { userPages } from '../routes/user-pages.ts'
import { users } from '../routes/users.ts'
import { web } from '../routes/web.ts'
import { webhook } from '../routes/webhook.ts'
import { withdrawal } from '../routes/withdrawal.ts'
import { finishAnswers } from './finish-answers.ts'
import { moveNavigations } from './move-navigations.ts'
import { finishTransport, requireHttps } from './require-https.ts'

/** The API host, top to bottom as a request meets it. */
export const apiApp = new Hono<AppEnv>()

apiApp.use(
  finishAnswers((headers, c, ok) => {
    const consoleOrigins = configOrNothing(c.env)?.consoleOrigins ?? []
    finishHeaders(headers, { path: c.req.path, ok, origin: c.req.header('Origin') ?? null, consoleOrigins })
    finishTransport(headers, c.env)
  }),
)
apiApp.use(requireHttps())
apiApp.use(async (c, next) => {
  if (c.req.method === 'OPTIONS') return answerNoRoute(c)
  c.set('config', readConfig(c.env))
  return await next()
})
apiApp.use(moveNavigations())
// Retrieval counts requests itself: what memory answers is less work than counting.
apiApp.route('/v0/blob', blob)
apiApp.route('/v0/web', web)
apiApp.route('/v0/tx', tx)
apiApp.route('/v0/chunk', chunk)
apiApp.route('/v0/content', content)
apiApp.route('/ipfs', ipfs)
apiApp.route('/ipns', ipns)

apiApp.use('/v0/upload/*', drainRefused())
apiApp.use('/v0/*', limitRequests())
apiApp.use('/v0/*', async (c, next) => {
  // `/v0/item/:id` would take what `/v0/item/counts` has no method for.
  const methods = allowedMethods(apiApp, c.req.path)
  if (methods.length > 0 && !methods.includes(c.req.method)) throw methodNotAllowed(methods)
  await next()
})

apiApp.route('/v0/health', health)
apiApp.route('/v0/cache', cache)
apiApp.route('/v0/audit', audit)
apiApp.route('/v0/events', events)
apiApp.route('/v0/operate', operate)
apiApp.route('/v0/webhook', webhook)
apiApp.route('/v0/denied', denied)
apiApp.route('/v0/report', report)
apiApp.route('/v0/ipfs', importIpfs)
apiApp.route('/v0/token', token)
apiApp.route('/v0/payment', payment)
apiApp.route('/v0/ledger', ledger)
apiApp.route('/v0/withdrawal', withdrawal)
apiApp.route('/v0/domain', domain)
apiApp.route('/v0/site', site)
apiApp.route('/v0', targets)
apiApp.route('/v0/user/keys', userKeys)
apiApp.route('/v0/user/passkeys', passkeys)
apiApp.route('/v0/user', userPages)
apiApp.route('/v0/user', user)
apiApp.route('/v0/users', users)
apiApp.route('/v0/item', item)
apiApp.route('/v0/folder', folder)
apiApp.route('/v0/upload', upload)
apiApp.route('/', docs)
apiApp.route('/', hook)
apiApp.route('/', securityTxt)
apiApp.route('/frame', frame)
apiApp.route('/console/session', consoleSession)
apiApp.route('/console', consolePages)

apiApp.notFound(answerNoRoute)

apiApp.onError((error, c) => answerError(error, c))

/** What no route answers: OPTIONS, which every path that has a route does, another method than it has, or nothing. */
async function answerNoRoute(c: Context<AppEnv>): Promise<Response> {
  const methods = allowedMethods(apiApp, c.req.path)
  if (methods.length === 0) return answerError(notFound('There is nothing at this path. /docs lists what there is.'), c)
  if (c.req.method !== 'OPTIONS') return answerError(methodNotAllowed(methods), c)
  const isUpload = /^\/v0\/upload(\/|$)/.test(c.req.path)
  return answerOptions(methods, isUpload ? tusDiscovery(configOrNothing(c.env)) : {})
}
