import type { Blockchain } from '../../../protocol/chains.ts'
import { CHAINS } from '../../../protocol/chains.ts'
import { assertTipStatement, selectTip } from '../../chain/follower/blocks.ts'
import type { Config } from '../../platform/config/config.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { AppError, notFound } from '../../platform/http/errors.ts'
import { payItemsStatements } from '../items/sql/move-items.ts'
import { readDeeper } from '../payments/confirmations-above.ts'
import { isSettled } from '../payments/decide-request.ts'
import { creditOf, insertLedgerStatement, selectLedgerTail } from '../payments/sql/ledger.ts'
import { markCreditedStatements, selectOutputsByAddress } from '../payments/sql/outputs.ts'
import { moveRequestStatements, selectRequest } from '../payments/sql/payment-requests.ts'

/** What an act by hand works with; `now` in milliseconds. `record` makes what is written in its batch. */
export interface ActContext {
  db: D1Database
  config: Pick<Config, 'chains'>
  now: number
  record(act: { account?: string; amount?: bigint; blockchain: Blockchain }): D1PreparedStatement[]
}

/**
 * Returns the amount that was credited by hand, in base units. Settles a request that waits or has expired, regardless
 * of what was paid. In one batch, its outputs with enough confirmations are credited, the missing amount is credited by
 * hand, and the whole is debited for the request. Outputs without enough confirmations become balance later.
 * @throws {AppError} 404, 409
 */
export async function settleByHand({ db, config, now, record }: ActContext, requestId: string): Promise<bigint> {
  for (let round = 0; round < ROUNDS; round++) {
    const request = await selectRequest(db, requestId)
    if (!request) throw notFound('There is no payment request with this id.')
    if (request.state === 'settled' || request.state === 'cancelled') throw notOpen(request.state)
    const { blockchain, userId, address } = request
    const outputs = address === undefined ? [] : await selectOutputsByAddress(db, blockchain, [address])
    const tip = await selectTip(db, blockchain)
    const rule = {
      tipHeight: tip?.height ?? 0,
      confirmations: config.chains[blockchain].confirmations,
      coinbaseMaturity: CHAINS[blockchain].coinbaseMaturity,
      deeper: await readDeeper(
        { db, blockchain, config },
        outputs.map(({ txid }) => txid),
      ),
    }
    const paid = outputs.filter((output) => isSettled(output, rule) && !output.credited)
    const missing = request.amount - paid.reduce((sum, { amount }) => sum + amount, 0n)
    const given = missing > 0n ? missing : 0n
    const moves = [
      ...paid.map(creditOf),
      ...(given > 0n ? [{ amount: given, cause: `manual:${crypto.randomUUID()}` }] : []),
      { amount: -request.amount, cause: `request:${request.id}` },
    ]
    const tail = await selectLedgerTail(db, userId, blockchain)
    const settled = await batchIf(db, [
      // Confirmations are counted from this tip: from another one these outputs may have fewer, or be in no block.
      assertTipStatement(db, blockchain, tip),
      ...moveRequestStatements(db, request, [request.state], 'settled', now),
      ...markCreditedStatements(db, blockchain, paid),
      insertLedgerStatement(db, request, tail, moves, now),
      ...payItemsStatements(db, request, now),
      ...record({ account: userId, amount: given, blockchain }),
    ])
    if (settled) return given
  }
  throw changing()
}

/** Ends an open request, so that what was paid to it becomes balance. @throws {AppError} 404, 409 */
export async function creditRequest({ db, now, record }: ActContext, requestId: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const request = await selectRequest(db, requestId)
    if (!request) throw notFound('There is no payment request with this id.')
    if (request.state !== 'open' && request.state !== 'seen') throw notOpen(request.state)
    const ended = await batchIf(db, [
      ...moveRequestStatements(db, request, [request.state], 'cancelled', now),
      ...record({ account: request.userId, blockchain: request.blockchain }),
    ])
    if (ended) return
  }
  throw changing()
}

function notOpen(state: string): AppError {
  return new AppError(409, 'request_not_open', `This payment request is ${state}: there is nothing left to decide.`)
}

function changing(): AppError {
  return new AppError(
    409,
    'request_changing',
    'The record or its items have changed since you read them. Read them again.',
  )
}
