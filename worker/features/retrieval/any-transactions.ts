import type { Context } from 'hono'
import { concatBytes } from '../../../protocol/bytes.ts'
import { encodeTransaction } from '../../../protocol/transaction.ts'
import { parseContentPath } from '../../content/chain/parse-request.ts'
import { noSuchTransaction } from '../../content/chain/prepare-answer.ts'
import { denylist, refuseDenied } from '../../content/denylist/denylist.ts'
import { wholeFrom } from '../../content/inscriptions/read-whole.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { limitRequest } from '../../platform/http/limit-requests.ts'
import { BYTES_TYPE } from '../../platform/http/media-types.ts'
import { IMMUTABLE_CONTENT, NO_STORE, SANDBOX } from '../../platform/http/policies.ts'

/** As many as a doginal may have. */
const MAX_TXIDS = 120

/**
 * GET /v0/tx/<chain>/<txids>?any=1: transactions that may hold no data, in order; with `&witness=1` whole, for readers of what is in
 * witnesses. A txid covers no witness, so that nobody may keep those for good.
 * @throws {AppError} 400, 422, 451, 502, 503, 504
 */
export async function answerAnyTransactions(c: Context<AppEnv>): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const { blockchain, txids } = parseContentPath(c.req.param('blockchain') ?? '', c.req.param('txids') ?? '')
  if (txids.length > MAX_TXIDS) throw invalidField('txids', `must hold 1 to ${MAX_TXIDS} transaction ids with any=1.`)
  refuseDenied(denied, { txids })
  const witness = c.req.query('witness') === '1'
  const found = await wholeFrom(c.get('config').chains[blockchain])(txids)
  const transactions = found.filter((transaction) => transaction !== undefined)
  if (transactions.length < found.length) return noSuchTransaction()
  return new Response(concatBytes(transactions.map((transaction) => encodeTransaction(transaction, { witness }))), {
    headers: {
      'Content-Type': BYTES_TYPE,
      'Cache-Control': witness ? NO_STORE : IMMUTABLE_CONTENT,
      'Content-Security-Policy': SANDBOX,
    },
  })
}
