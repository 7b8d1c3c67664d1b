import { Hono } from 'hono'
import { readConfig } from '../config/read-config.ts'
import { allowedMethods } from '../http/allowed-methods.ts'
import { answerError } from '../http/answer-error.ts'
import type { AppEnv } from '../http/app-env.ts'
import { AppError } from '../http/errors.ts'
import { limitRequests } from '../http/limit-requests.ts'
import { blob } from '../routes/blob.ts'
import { chunk } from '../routes/chunk.ts'
import { content } from '../routes/content.ts'
import { denied } from '../routes/denied.ts'
import { docs } from '../routes/docs.ts'
import { domain } from '../routes/domain.ts'
import { folder } from '../routes/folder.ts'
import { frame } from '../routes/frame.ts'
import { health } from '../routes/health.ts'
import { hook } from '../routes/hook.ts'
import { importIpfs } from '../routes/import-ipfs.ts'
import { ipfs } from '../routes/ipfs.ts'
import { ipns } from '../routes/ipns.ts'
import { item } from '../routes/item.ts'
import { payment } from '../routes/payment.ts'
import { token } from '../routes/token.ts'
import { tx } from '../routes/tx.ts'
import { user } from '../routes/user.ts'
import { userPages } from '../routes/user-pages.ts'
import { users } from '../routes/users.ts'
import { web } from '../routes/web.ts'

/** The API host, top to bottom as a request meets it. */
export const app = new Hono<AppEnv>()

app.use(async (c, next) => {
  c.set('config', readConfig(c.env))
  await next()
})
// Retrieval counts requests itself: what memory answers is less work than counting.
app.route('/v0/blob', blob)
app.route('/v0/web', web)
app.route('/v0/tx', tx)
app.route('/v0/chunk', chunk)
app.route('/v0/content', content)
app.route('/ipfs', ipfs)
app.route('/ipns', ipns)

app.use('/v0/*', limitRequests())

app.route('/v0/health', health)
app.route('/v0/denied', denied)
app.route('/v0/ipfs', importIpfs)
app.route('/v0/token', token)
app.route('/v0/payment', payment)
app.route('/v0/domain', domain)
app.route('/v0/user', userPages)
app.route('/v0/user', user)
app.route('/v0/users', users)
app.route('/v0/item', item)
app.route('/v0/folder', folder)
app.route('/', docs)
app.route('/', hook)
app.route('/frame', frame)

app.notFound((c) => {
  const methods = allowedMethods(app, c.req.path)
  if (methods.length === 0)
    throw new AppError(404, 'not_found', 'There is nothing at this path. /docs lists what there is.')
  const headers = { Allow: methods.join(', ') }
  throw new AppError(405, 'method_not_allowed', `This path answers ${headers.Allow}.`, { headers })
})

app.onError((error, c) => answerError(error, c))
