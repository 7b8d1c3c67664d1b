import type { Blockchain } from '../../../../protocol/chains.ts'
import { retryFailedRecordStatement } from '../../../chain/follower/failed-records.ts'
import { assertPayoutNumberStatement, raisePayoutNumberStatements } from '../../../chain/follower/payout-numbers.ts'
import { selectStops } from '../../../chain/follower/stops.ts'
import { batchIf, ROUNDS } from '../../../platform/d1/guarded-batch.ts'
import { AppError, notFound, unavailable } from '../../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../../payments/payment-context.ts'
import { insertLedgerStatement, selectDebited, selectLedgerTail } from '../../payments/sql/ledger.ts'
import { deleteEndRecord, type EndedAs, putEndRecord } from '../record/end-records.ts'
import { getLastPayout, hasPayoutRecord } from '../record/payout-records.ts'
import { beingEnded, holdLabelled, isBeingEnded, labelEnd } from '../restore/withdrawal-labels.ts'
import { tieToPayoutStatements } from '../sql/tie-to-payouts.ts'
import { beginEndingStatements, endUnsignedStatements, selectIsSigned } from '../sql/withdrawal-ends.ts'
import { finishEndStatement, PERHAPS_PAID } from '../sql/withdrawal-labels.ts'
import { selectWithdrawalsById, type Withdrawal, type WithdrawalEnding } from '../sql/withdrawals.ts'
import { withdrawalAuditStatement, withdrawalEventStatement } from './withdrawal-event.ts'

/** The owner of payments that are not from anybody's balance. */
export const SERVICE = 'service'

export const RETURNING_TO_WALLET =
  'The operator ends it. The coin that it was to be paid with is spent back to the wallet first, so that it cannot be paid as well.'

const NO_RECORD =
  'The bucket takes no record of the end of a withdrawal, and none ends without one: a restored database would pay it. Try again later.'

/** What a withdrawal is ended with; `now` in milliseconds. */
export interface EndContext {
  db: D1Database
  bucket: R2Bucket
  now: number
}

/** What somebody ends a withdrawal with. */
export interface EndingContext extends EndContext, PaymentContext {
  /**
   * Has the chain's agent look whether D1 was restored, and store the number of payouts that D1 has now. Returns it; `undefined` where
   * D1 was restored to a moment before the last of them. @throws where it can't
   */
  noticeRestore: (blockchain: Blockchain) => Promise<number | undefined>
}

/** A withdrawal, of one user where `userId` is given. @throws {AppError} 404 */
export async function requireWithdrawal(db: D1Database, id: string, userId?: string): Promise<Withdrawal> {
  const [withdrawal] = await selectWithdrawalsById(db, [id])
  if (withdrawal && (userId === undefined || withdrawal.userId === userId)) return withdrawal
  throw notFound('There is no withdrawal with this id.')
}

/**
 * Prevents the return of money that was perhaps paid out already: the database is older than what was paid.
 * @throws {AppError} 503
 */
export async function requireLookedUpPayouts(db: D1Database, blockchain: Blockchain): Promise<void> {
  if ((await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) throw payoutsUnknown(blockchain)
}

function payoutsUnknown(blockchain: Blockchain): AppError {
  const message = `Payouts of ${blockchain} are stopped until recent payouts have been looked up on the chain. Try again later.`
  return unavailable('payouts_stopped', message, { retryAfter: 3600 })
}

/**
 * The statements that return what was debited for a withdrawal to its balance: amount and fee, or less where the balance lacked some
 * when a payout was assigned that the database had lost. None where it was not from a balance. They fail their batch where the ledger
 * has grown since, as where its owner has paid a higher fee.
 */
export async function refundStatements(
  db: D1Database,
  withdrawal: Withdrawal,
  now: number,
): Promise<D1PreparedStatement[]> {
  const { id, userId, blockchain } = withdrawal
  if (userId === SERVICE) return []
  const tail = await selectLedgerTail(db, userId, blockchain)
  const amount = await selectDebited(db, withdrawal)
  if (amount === 0n) return []
  return [insertLedgerStatement(db, withdrawal, tail, [{ amount, cause: `withdrawal-refund:${id}` }], now)]
}

/**
 * Ends a withdrawal of the caller for which nothing was ever signed, and credits amount and fee in the same batch. Returns it as it
 * was. @throws {AppError} 404, 409, 503
 */
export async function cancelWithdrawal(context: EndingContext, userId: string, id: string): Promise<Withdrawal> {
  const { db, now } = context
  const { blockchain } = await requireWithdrawal(db, id, userId)
  await requireLookedUpPayouts(db, blockchain)
  const audit = (withdrawal: Withdrawal) => [
    withdrawalAuditStatement(db, withdrawal, { at: now, actor: userId, act: 'withdrawal.cancelled' }),
  ]
  const ended = await endUnsigned(context, id, 'cancelled', audit)
  if (ended) return ended
  throw new AppError(
    409,
    'withdrawal_signed',
    'A transaction was signed for this withdrawal, which may be mined. Ask the operator to end it.',
  )
}

/**
 * Ends a withdrawal for which nothing was ever signed, with its money back unless it was paid elsewhere; `undefined` where something
 * was. `record` makes what is in the same batch. @throws {AppError} 404, 409, 503
 */
export async function endUnsigned(
  context: EndingContext,
  id: string,
  state: EndedAs,
  record: (withdrawal: Withdrawal) => D1PreparedStatement[],
): Promise<Withdrawal | undefined> {
  const { db, now } = context
  for (let round = 0; round < ROUNDS; round++) {
    const withdrawal = await requireEndable(context, id, state, round)
    // A restored database has lost what was signed; the bucket has not.
    if ((await selectIsSigned(db, id)) || (await hasPayoutRecord(context.bucket, withdrawal.blockchain, id))) {
      if (round > 0) await deleteEndRecord(context.bucket, withdrawal.blockchain, { id, ended: state })
      return undefined
    }
    await requireExplained(context, withdrawal, state)
    const number = await recordEnd(context, { ...withdrawal, coin: undefined }, state)
    const statements = [
      assertPayoutNumberStatement(db, withdrawal.blockchain, number),
      ...endUnsignedStatements(db, id, state),
      ...(state === 'paid_elsewhere' ? [] : await refundStatements(db, withdrawal, now)),
      withdrawalEventStatement(db, withdrawal, state, now),
      ...record(withdrawal),
    ]
    if (await endLabelled(context, withdrawal, statements)) return withdrawal
  }
  throw unavailable('busy', 'Another change of this balance is in progress. Try again.')
}

/**
 * Has the chain's agent end a withdrawal for which something was signed, when the coin that it is tied to is back in the wallet.
 * `record` makes what is in the same batch. Returns it as it was. @throws {AppError} 404, 409, 503
 */
export async function beginEnding(
  context: EndingContext,
  id: string,
  ending: WithdrawalEnding,
  record: (withdrawal: Withdrawal) => D1PreparedStatement[],
): Promise<Withdrawal> {
  const { db, now } = context
  for (let round = 0; round < ROUNDS; round++) {
    const withdrawal = await requireEndable(context, id, ending, round)
    if (withdrawal.ending)
      throw new AppError(409, 'request_changing', 'This withdrawal is already being ended. Read it again.')
    const coin = withdrawal.coin ?? (await getLastPayout(context.bucket, withdrawal.blockchain, id))?.paid.coin
    const number = await recordEnd(context, { ...withdrawal, coin }, ending)
    const isSame = assertPayoutNumberStatement(db, withdrawal.blockchain, number)
    const tied = withdrawal.coin || !coin ? [] : tieToPayoutStatements(db, id, coin, now)
    const begun = beginEndingStatements(db, id, { ending, reason: RETURNING_TO_WALLET }, now)
    // Why it was not signed before is no reason to wait.
    const retried = retryFailedRecordStatement(db, { blockchain: withdrawal.blockchain, kind: 'withdrawal', id })
    const statements = [isSame, ...tied, ...begun, retried, ...record(withdrawal)]
    if (await endLabelled(context, withdrawal, statements)) return withdrawal
  }
  throw unavailable('busy', 'The withdrawal has changed since you read it. Read it again.')
}

/** A withdrawal that is not over. A record that an earlier round wrote is deleted: that end did not happen. */
async function requireEndable(
  { db, bucket }: EndContext,
  id: string,
  ended: EndedAs,
  round: number,
): Promise<Withdrawal> {
  const withdrawal = await requireWithdrawal(db, id)
  const { state, ending, blockchain } = withdrawal
  const isOther = !isOpen(withdrawal) ? state !== ended : ending !== undefined && ending !== ended
  if (round > 0 && isOther) await deleteEndRecord(bucket, blockchain, { id, ended })
  requireOpen(withdrawal)
  return withdrawal
}

/**
 * Refuses to end a withdrawal for which nothing was signed, as the database says, and the wallet something else. What is held for that
 * an operator may end, who has looked it up. @throws {AppError} 503
 */
async function requireExplained(context: EndingContext, withdrawal: Withdrawal, ended: EndedAs): Promise<void> {
  const { id, blockchain, reason } = withdrawal
  const [found] = await withWallet(context, blockchain, (rpc) => holdLabelled({ ...context, rpc }, blockchain, [id]))
  if (found && isBeingEnded(found, context.now)) throw beingEnded()
  if (found || (ended === 'cancelled' && reason === PERHAPS_PAID)) throw payoutsUnknown(blockchain)
}

/** Runs the statements that end a withdrawal when the wallet has a label of that; `false` where they failed. @throws {AppError} 503 */
async function endLabelled(
  context: EndingContext,
  withdrawal: Withdrawal,
  statements: D1PreparedStatement[],
): Promise<boolean> {
  const { db } = context
  const { id, blockchain } = withdrawal
  return await withWallet(context, blockchain, (rpc) =>
    labelEnd({ ...context, rpc }, withdrawal, () => batchIf(db, [...statements, finishEndStatement(db, id)])),
  )
}

/**
 * Stores in the bucket how a withdrawal is about to end, and counts that with the payouts, in D1 and then at the chain's agent: a database
 * that is restored to a moment before is found by that, and the end restored, whenever this is cut off. Returns their number, below which
 * the database is older than this. @throws {AppError} 503
 */
export async function recordEnd(
  { db, bucket, noticeRestore }: EndingContext,
  withdrawal: Withdrawal,
  ended: EndedAs,
): Promise<number> {
  const { id, userId: account, blockchain, amount, fee, feeRate, address, script, coin } = withdrawal
  try {
    await putEndRecord(bucket, blockchain, { id, ended, account, amount, fee, feeRate, address, script, coin })
  } catch (error) {
    console.error('end_not_recorded', blockchain, id, error)
    throw unavailable('payouts_stopped', NO_RECORD, { retryAfter: 60 })
  }
  for (let round = 0; round < ROUNDS; round++) {
    // As the agent has it: of a database that is restored meanwhile the next number may be one that was used.
    const from = await noticeRestore(blockchain)
    if (from === undefined) throw payoutsUnknown(blockchain)
    const to = from + 1
    if (!(await batchIf(db, raisePayoutNumberStatements(db, blockchain, { from, to })))) continue
    if (((await noticeRestore(blockchain)) ?? 0) >= to) return to
  }
  throw unavailable('busy', 'Other payouts are being recorded. Try again.')
}

/** Whether a withdrawal is not over. Pure. */
export function isOpen({ state }: Pick<Withdrawal, 'state'>): boolean {
  return state === 'waiting' || state === 'held' || state === 'failed' || state === 'sent'
}

/** @throws {AppError} 409 where a withdrawal is over. */
export function requireOpen(withdrawal: Pick<Withdrawal, 'state'>): void {
  if (isOpen(withdrawal)) return
  const how = withdrawal.state.replace('_', ' ')
  throw new AppError(409, 'withdrawal_ended', `This withdrawal is over: it is ${how}.`)
}
