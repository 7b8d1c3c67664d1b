import { type Context, Hono } from 'hono'
import { audit } from '../features/accounts/routes/audit.ts'
import { user } from '../features/accounts/routes/user.ts'
import { userPages } from '../features/accounts/routes/user-pages.ts'
import { users } from '../features/accounts/routes/users.ts'
import { passkeys } from '../features/auth/routes/passkeys.ts'
import { token } from '../features/auth/routes/token.ts'
import { userKeyRoutes } from '../features/auth/routes/user-keys.ts'
import { consolePages } from '../features/console/routes/console.ts'
import { consoleSession } from '../features/console/routes/console-session.ts'
import { docs } from '../features/docs/routes/docs.ts'
import { securityTxt } from '../features/docs/routes/security-txt.ts'
import { events } from '../features/events/routes/events.ts'
import { webhook } from '../features/events/routes/webhook.ts'
import { endWebhooksOfKeyStatements } from '../features/events/sql/end-webhooks.ts'
import { health } from '../features/health/routes/health.ts'
import { frame } from '../features/hook/routes/frame.ts'
import { hook } from '../features/hook/routes/hook.ts'
import { content } from '../features/items/routes/content.ts'
import { folder } from '../features/items/routes/folder.ts'
import { item } from '../features/items/routes/item.ts'
import { uploadRoutes } from '../features/items/routes/upload.ts'
import { tusDiscovery } from '../features/items/upload/tus-discovery.ts'
import { operate } from '../features/operate/routes/operate.ts'
import { operatePayouts } from '../features/operate/routes/payouts.ts'
import { itemRetry } from '../features/operate/routes/retry-item.ts'
import { deleteItem } from '../features/payments/delete-item.ts'
import { itemPayment } from '../features/payments/routes/item-payment.ts'
import { ledger } from '../features/payments/routes/ledger.ts'
import { order } from '../features/payments/routes/order.ts'
import { payment } from '../features/payments/routes/payment.ts'
import { targets } from '../features/payments/routes/targets.ts'
import { withdrawal } from '../features/payouts/routes/withdrawal.ts'
import { denied } from '../features/reports/routes/denied.ts'
import { report } from '../features/reports/routes/report.ts'
import { itemTakeDown } from '../features/reports/routes/take-down.ts'
import { blob } from '../features/retrieval/routes/blob.ts'
import { cache } from '../features/retrieval/routes/cache.ts'
import { chainContent } from '../features/retrieval/routes/chain-content.ts'
import { importIpfs } from '../features/retrieval/routes/import-ipfs.ts'
import { ipfs } from '../features/retrieval/routes/ipfs.ts'
import { ipns } from '../features/retrieval/routes/ipns.ts'
import { address } from '../features/sites/routes/address.ts'
import { domain } from '../features/sites/routes/domain.ts'
import { itemProblems } from '../features/sites/routes/item-problems.ts'
import { site } from '../features/sites/routes/site.ts'
import { itemTransactionsRoute } from '../features/transactions/routes/item-transactions.ts'
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

/** The app of the API host, in the order in which a request passes through it. */
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
apiApp.use(redirectNavigations())
// Retrieval counts requests itself: what memory answers is less work than counting.
apiApp.route('/v0/blob', blob)
apiApp.route('/v0', chainContent)
apiApp.route('/v0/content', content)
apiApp.route('/ipfs', ipfs)
apiApp.route('/ipns', ipns)

apiApp.use('/v0/upload/*', drainRejectedBody())
apiApp.use('/v0/*', limitRequests())
apiApp.use('/v0/*', async (c, next) => {
  // `/v0/item/:id` also matches requests to `/v0/item/counts` with a method that path does not have.
  const methods = allowedMethods(apiApp, c.req.path)
  if (methods.length > 0 && !methods.includes(c.req.method)) throw methodNotAllowed(methods)
  await next()
})

apiApp.route('/v0/health', health)
apiApp.route('/v0/cache', cache)
apiApp.route('/v0/audit', audit)
apiApp.route('/v0/events', events)
apiApp.route('/v0/operate', operate)
apiApp.route('/v0/operate', operatePayouts)
apiApp.route('/v0/webhook', webhook)
apiApp.route('/v0/denied', denied)
apiApp.route('/v0/report', report)
apiApp.route('/v0/ipfs', importIpfs)
apiApp.route('/v0/token', token)
apiApp.route('/v0/order', order)
apiApp.route('/v0/payment', payment)
apiApp.route('/v0/ledger', ledger)
apiApp.route('/v0/withdrawal', withdrawal)
apiApp.route('/v0/domain', domain)
apiApp.route('/v0/address', address)
apiApp.route('/v0/site', site)
apiApp.route('/v0', targets)
apiApp.route('/v0/user/keys', userKeyRoutes(endWebhooksOfKeyStatements))
apiApp.route('/v0/user/passkeys', passkeys)
apiApp.route('/v0/user', userPages)
apiApp.route('/v0/user', user)
apiApp.route('/v0/users', users)
apiApp.route('/v0/item', item)
apiApp.route('/v0/item', itemPayment)
apiApp.route('/v0/item', itemTransactionsRoute)
apiApp.route('/v0/item', itemProblems)
apiApp.route('/v0/item', itemRetry)
apiApp.route('/v0/item', itemTakeDown)
apiApp.route('/v0/folder', folder)
apiApp.route('/v0/upload', uploadRoutes(deleteItem))
apiApp.get('/metrics', limitRequests(), async (c) => {
  if (c.env.INTERNAL_SOCKET !== undefined) throw noSuchRoute()
  return await (await import('../features/operate/watch-entry.ts')).answerMetrics(c)
})
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
  if (methods.length === 0) return answerError(noSuchRoute(), c)
  if (c.req.method !== 'OPTIONS') return answerError(methodNotAllowed(methods), c)
  const isUpload = /^\/v0\/upload(\/|$)/.test(c.req.path)
  return answerOptions(methods, isUpload ? tusDiscovery(configOrNothing(c.env)) : {})
}

function noSuchRoute() {
  return notFound('There is nothing at this path. /docs lists all paths.')
}
