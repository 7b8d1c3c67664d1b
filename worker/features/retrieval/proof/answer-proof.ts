import type { Context } from 'hono'
import { MAX_PROOF_TXIDS, PROOF_DEPTH } from '../../../../contract/limits.ts'
import { type ContentRequest, parseContentPath } from '../../../content/chain/parse-request.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, invalidField, unavailable } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { NO_STORE } from '../../../platform/http/policies.ts'
import { buildProof } from './build-proof.ts'
import { checkBeforeServing } from './check-before-serving.ts'
import { MAX_BLOCKS, type MinedRead, readMined } from './read-mined.ts'

/** `Cache-Control` of a proof: another block may be behind it in a minute, or another one in its place. */
const A_MINUTE = 'public, max-age=60'

/**
 * GET /v0/proof/<chain>/<txid>[,…]: that the chain of the node has the transactions, for readers to check (docs/formats.md).
 * @throws {AppError} 404 for a transaction that is not mined; 502 for an answer of the node that does not verify.
 */
export async function answerProof(c: Context<AppEnv>): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const asked = parseRequest(c.req.param('blockchain') ?? '', c.req.param('txids') ?? '')
  const depth = parseDepth(c.req.query('depth'))
  refuseDenied(denied, asked)
  const found = foundIn(await readMined(c.get('config').chains[asked.blockchain].rpc, asked.txids, depth))
  const proof = buildProof(found)
  checkBeforeServing(proof, found.transactions, asked.blockchain, now())
  return c.json(proof, 200, { 'Cache-Control': A_MINUTE })
}

/** @throws {AppError} 400 */
function parseRequest(blockchain: string, list: string): ContentRequest {
  const { txids, ...asked } = parseContentPath(blockchain, list)
  if (txids.length > MAX_PROOF_TXIDS) {
    throw invalidField('txids', `must hold 1 to ${MAX_PROOF_TXIDS} transaction ids, not ${txids.length}.`)
  }
  return { ...asked, txids: [...new Set(txids)] }
}

/** @throws {AppError} 400 */
function parseDepth(text: string | undefined): number {
  if (text === undefined) return PROOF_DEPTH.usual
  const depth = /^[1-9]\d?$/.test(text) ? Number(text) : PROOF_DEPTH.most + 1
  if (depth > PROOF_DEPTH.most) throw invalidField('depth', `must be a whole number from 1 to ${PROOF_DEPTH.most}.`)
  return depth
}

/** @throws {AppError} for what was read instead of the blocks. */
function foundIn(read: MinedRead): Extract<MinedRead, { outcome: 'found' }> {
  switch (read.outcome) {
    case 'found':
      return read
    case 'not_mined':
      throw new AppError(404, 'not_found', `No block has transaction ${read.txid}.`, {
        headers: { 'Cache-Control': NO_STORE },
      })
    case 'no_block_data':
      throw new AppError(502, 'node_bad_answer', `The node does not have the transactions of block ${read.hash}.`)
    case 'too_many_blocks':
      throw unavailable('busy', `The transactions are in more than ${MAX_BLOCKS} blocks. Ask for fewer at a time.`)
  }
}
