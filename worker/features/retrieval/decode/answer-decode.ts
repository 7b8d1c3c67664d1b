import type { Context } from 'hono'
import { parseContentPath } from '../../../content/chain/parse-request.ts'
import { noSuchTransaction } from '../../../content/chain/prepare-answer.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import { wholeFrom } from '../../../content/inscriptions/read-whole.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { IMMUTABLE_CONTENT } from '../../../platform/http/policies.ts'
import { describeTransaction } from './describe-transaction.ts'

/**
 * GET /v0/decode/<chain>/<txid>: all that a transaction holds, whoever wrote it.
 * @throws {AppError} 400, 451, 502, 503, 504
 */
export async function answerDecode(c: Context<AppEnv>): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const { blockchain, txids } = parseContentPath(c.req.param('blockchain') ?? '', c.req.param('txid') ?? '')
  const [txid = ''] = txids
  if (txids.length > 1) throw invalidField('txid', 'must be one transaction id.')
  refuseDenied(denied, { txids })
  const [transaction] = await wholeFrom(c.get('config').chains[blockchain])([txid])
  if (!transaction) return noSuchTransaction()
  const items = describeTransaction(blockchain, txid, transaction)
  return c.json({ txid, items }, 200, { 'Cache-Control': IMMUTABLE_CONTENT })
}
