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
import { folder } from '../features/items/routes/folder.ts'
import { item } from '../features/items/routes/item.ts'
import { uploadRoutes } from '../features/items/routes/upload.ts'
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
import { cache } from '../features/retrieval/routes/cache.ts'
import { importIpfs } from '../features/retrieval/routes/import-ipfs.ts'
import { address } from '../features/sites/routes/address.ts'
import { domain } from '../features/sites/routes/domain.ts'
import { itemProblems } from '../features/sites/routes/item-problems.ts'
import { site } from '../features/sites/routes/site.ts'
import { itemTransactionsRoute } from '../features/transactions/routes/item-transactions.ts'
import { limitRequests } from '../platform/http/limit-requests.ts'
import { newApiApp, noSuchRoute } from './new-api-app.ts'

/** The app of the API host, with all of its routes. */
export const apiApp = newApiApp()

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
apiApp.route('/', securityTxt)
apiApp.route('/frame', frame)
apiApp.route('/console/session', consoleSession)
apiApp.route('/console', consolePages)
