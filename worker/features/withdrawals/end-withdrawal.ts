import type { Blockchain } from '../../../protocol/chains.ts'
import { selectStops } from '../../chain/follower/stops.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, notFound, unavailable } from '../../platform/http/errors.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { insertLedgerStatement, selectLedgerTail } from '../payments/sql/ledger.ts'
import { endUnsignedStatements, selectIsSigned } from './sql/withdrawal-ends.ts'
import { selectWithdrawalsById, type Withdrawal, type WithdrawalEnding } from './sql/withdrawals.ts'
import { withdrawalEventStatement } from './withdrawal-event.ts'

/** Whose a payment is that comes out of nobody's balance. */
export const SERVICE = 'service'
/** Rounds of reading and writing before somebody is told that others were always faster. */
const ROUNDS = 5

/** A withdrawal, of one user where `userId` is given. @throws {AppError} 404 */
export async function requireWithdrawal(db: D1Database, id: string, userId?: string): Promise<Withdrawal> {
  const [withdrawal] = await selectWithdrawalsById(db, [id])
  if (withdrawal && (userId === undefined || withdrawal.userId === userId)) return withdrawal
  throw notFound('There is no withdrawal with this id.')
}

/**
 * Keeps money from being given back that was perhaps paid out already: the database is older than what was paid.
 * @throws {AppError} 503
 */
export async function requireKnownPayouts(db: D1Database, blockchain: Blockchain): Promise<void> {
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return
  const message = `Payouts of ${blockchain} are stopped: what was paid out of late has to be looked up first. Try again later.`
  throw unavailable('payouts_stopped', message, { retryAfter: 3600 })
}

/** The statements that give the amount and the fee of a withdrawal back; none where it was out of nobody's balance. */
export async function refundStatements(
  db: D1Database,
  withdrawal: Withdrawal,
  now: number,
): Promise<D1PreparedStatement[]> {
  const { id, userId, blockchain, amount, fee } = withdrawal
  if (userId === SERVICE) return []
  const tail = await selectLedgerTail(db, userId, blockchain)
  const move = { amount: amount + fee, cause: `withdrawal-refund:${id}` }
  return [insertLedgerStatement(db, withdrawal, tail, [move], now)]
}

/**
 * Ends a withdrawal of the caller for which nothing was ever signed, and gives amount and fee back in the same batch. Returns it as it
 * was. @throws {AppError} 404, 409, 503
 */
export async function cancelWithdrawal(db: D1Database, userId: string, id: string, now: number): Promise<Withdrawal> {
  const { blockchain } = await requireWithdrawal(db, id, userId)
  await requireKnownPayouts(db, blockchain)
  const audit = (withdrawal: Withdrawal) => [
    insertAuditStatement(db, {
      ...{ at: now, actor: userId, account: userId, act: 'withdrawal.cancelled', subject: `withdrawal:${id}` },
      ...{ blockchain, amount: withdrawal.amount },
    }),
  ]
  const ended = await endUnsigned(db, id, 'cancelled', now, audit)
  if (ended) return ended
  throw new AppError(
    409,
    'withdrawal_signed',
    'A transaction was signed for this withdrawal, which may be mined. Ask the operator to end it.',
  )
}

/**
 * Ends a withdrawal for which nothing was ever signed, with its money back unless it was paid elsewhere; `undefined` where something
 * was. `record` makes what stands in the same batch. @throws {AppError} 404, 409, 503
 */
export async function endUnsigned(
  db: D1Database,
  id: string,
  state: 'cancelled' | WithdrawalEnding,
  now: number,
  record: (withdrawal: Withdrawal) => D1PreparedStatement[],
): Promise<Withdrawal | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const withdrawal = await requireWithdrawal(db, id)
    requireOpen(withdrawal)
    if (await selectIsSigned(db, id)) return undefined
    const ended = await batchIf(db, [
      ...endUnsignedStatements(db, id, state),
      ...(state === 'paid_elsewhere' ? [] : await refundStatements(db, withdrawal, now)),
      withdrawalEventStatement(db, withdrawal, state, now),
      ...record(withdrawal),
    ])
    if (ended) return withdrawal
  }
  throw unavailable('busy', 'Other money of this account was moving. Try again.')
}

/** @throws {AppError} 409 where a withdrawal is over. */
export function requireOpen({ state }: Pick<Withdrawal, 'state'>): void {
  if (state === 'waiting' || state === 'held' || state === 'failed' || state === 'sent') return
  throw new AppError(409, 'withdrawal_ended', `This withdrawal is over: it is ${state.replace('_', ' ')}.`)
}
