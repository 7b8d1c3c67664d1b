import type { Context } from 'hono'
import { MAX_PROOF_TXIDS, PROOF_DEPTH } from '../../../../contract/limits.ts'
import { toHex } from '../../../../protocol/bytes.ts'
import { doubleSha256 } from '../../../chain/rpc/double-sha256.ts'
import { type ContentRequest, parseContentPath } from '../../../content/chain/parse-request.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import { blockLists } from '../../../content/proof/block-lists.ts'
import { buildProof } from '../../../content/proof/build-proof.ts'
import { checkpointAsked, findInChain } from '../../../content/proof/find-in-chain.ts'
import { MAX_BLOCKS, type MinedRead, readMined, TRANSACTIONS_AT_ONCE } from '../../../content/proof/read-mined.ts'
import { now } from '../../../platform/clock.ts'
import { memoryOf } from '../../../platform/flow/memory-budget.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, invalidField, unavailable } from '../../../platform/http/errors.ts'
import { addressOf, limitRequest } from '../../../platform/http/limit-requests.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { IMMUTABLE, NO_STORE } from '../../../platform/http/policies.ts'
import { prepareRepresentation, respondPrepared } from '../../../platform/http/respond.ts'
import { checkBeforeServing } from './check-before-serving.ts'

/** `Cache-Control` of a proof: another block may be behind it in a minute, or another one in its place. */
const A_MINUTE = 'public, max-age=60'

/** What a node says of one transaction of 100 KB, in JSON; and of a block's list of txids. */
const DESCRIBED_BYTES = 640 << 10

/**
 * GET /v0/proof/<chain>/<txid>[,…]: that the chain of the node has the transactions, for readers to check (docs/formats.md).
 * @throws {AppError} 404 for a transaction that is not mined, or an unknown checkpoint; 502 for an answer of the node that does not verify.
 */
export async function answerProof(c: Context<AppEnv>): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const asked = parseRequest(c.req.param('blockchain') ?? '', c.req.param('txids') ?? '')
  const depth = parseDepth(c.req.query('depth'))
  const { blockchain, txids } = asked
  const named = c.req.query('checkpoint')
  const pinned = checkpointAsked(named, blockchain)
  refuseDenied(denied, asked)
  const lists = blockLists(c.env, blockchain, c.executionCtx)
  const { rpc } = c.get('config').chains[blockchain]
  const bytes = DESCRIBED_BYTES * (1 + Math.min(txids.length, TRANSACTIONS_AT_ONCE))
  const share = await memoryOf(addressOf(c))('gather', bytes)
  const read = await readMined(rpc, txids, { depth, pinned, lists }).finally(() => share.release())
  const { blocks, transactions } = foundIn(read)
  const inChain = pinned === undefined ? undefined : await findInChain(c.env.BUCKET, blockchain, blocks, pinned)
  const proof = buildProof(blocks, inChain)
  checkBeforeServing(proof, transactions, blockchain, inChain, now())
  // What is above a checkpoint can change; without its name in the request a newer one will take its place.
  if (named === undefined || inChain?.branches.size !== blocks.length) {
    return c.json(proof, 200, { 'Cache-Control': A_MINUTE })
  }
  const body = new TextEncoder().encode(JSON.stringify(proof))
  const headers = new Headers({ 'Content-Type': JSON_TYPE, 'Cache-Control': IMMUTABLE })
  const etag = `"${toHex(doubleSha256(body).subarray(0, 16))}"`
  const answer = prepareRepresentation({ status: 200, headers, etag, body, ranges: false })
  c.set('cacheable', { answer, read: () => body, bytes: body.length, txids })
  return respondPrepared(c.req.raw, answer)
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
