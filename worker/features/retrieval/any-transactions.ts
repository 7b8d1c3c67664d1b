import type { Context } from 'hono'
import { concatBytes } from '../../../protocol/bytes.ts'
import { beginDoginal } from '../../../protocol/inscriptions/doginal.ts'
import { encodeTransaction, type Transaction } from '../../../protocol/transaction.ts'
import { type ContentRequest, parseContentPath } from '../../content/chain/parse-request.ts'
import { noSuchTransaction } from '../../content/chain/prepare-answer.ts'
import { denylist, refuseDenied } from '../../content/denylist/denylist.ts'
import { followerOf } from '../../content/inscriptions/follow/ask-follower.ts'
import { wholeFrom } from '../../content/inscriptions/read-whole.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { addressOf, limitRequest } from '../../platform/http/limit-requests.ts'
import { BYTES_TYPE } from '../../platform/http/media-types.ts'
import { IMMUTABLE_CONTENT, NO_STORE, SANDBOX } from '../../platform/http/policies.ts'

/** As many as a doginal may have. */
const MAX_TXIDS = 120

/** No transactions behind those of the request. */
const COMPLETE = { txids: [], isComplete: true }

/**
 * GET /v0/tx/<chain>/<txids>?any=1: transactions that may hold no data, in order; with `&parts=1` behind the one that is named the
 * later ones of the doginal that it begins, as far as they are proven; with `&witness=1` whole, for readers of what is in
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
  const read = wholeFrom(c.get('config').chains[blockchain])
  const found = await read(txids)
  const isFollowed = c.req.query('parts') === '1'
  const later = isFollowed ? await laterParts(c, { blockchain, txids }, found[0]) : COMPLETE
  refuseDenied(denied, { txids: later.txids })
  found.push(...(await read(later.txids)))
  const transactions = found.filter((transaction) => transaction !== undefined)
  if (transactions.length < found.length) return noSuchTransaction()
  return new Response(concatBytes(transactions.map((transaction) => encodeTransaction(transaction, { witness }))), {
    headers: {
      'Content-Type': BYTES_TYPE,
      'Cache-Control': witness || !later.isComplete ? NO_STORE : IMMUTABLE_CONTENT,
      'Content-Security-Policy': SANDBOX,
    },
  })
}

/** @throws {AppError} 400 where other than one transaction is named; 502, 503, 504 */
async function laterParts(
  c: Context<AppEnv>,
  { blockchain, txids }: ContentRequest,
  first: Transaction | undefined,
): Promise<{ txids: readonly string[]; isComplete: boolean }> {
  const [txid = '', ...more] = txids
  if (more.length > 0) throw invalidField('txids', 'must be one transaction id with parts=1.')
  const isRead = blockchain === 'Dogecoin' && c.get('config').inscriptions.includes(blockchain)
  const doginal = isRead && first?.inputs[0] ? beginDoginal(first.inputs[0].script) : undefined
  if (!doginal || doginal.missing === 0) return COMPLETE
  const follower = followerOf(c.env, blockchain, addressOf(c))
  const later = await follower.follow(txid, doginal.missing)
  return { txids: later, isComplete: follower.foundOf(txid)?.end === 'complete' }
}
