import type { RecordAction } from '../../../contract/states.ts'
import { isBlockchain } from '../../../protocol/chains.ts'
import { deleteFailedRecordStatement, retryFailedRecordStatement } from '../../chain/follower/failed-records.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField, notFound } from '../../platform/http/errors.ts'
import { approveStatements } from '../payouts/sql/withdrawal-ends.ts'
import { retryWithdrawalStatements, selectWithdrawalsById } from '../payouts/sql/withdrawals.ts'
import { closeTxChainOfCoinStatement } from '../transactions/sql/tx-chains.ts'
import { retryItem } from '../writer/retry-item.ts'
import { actionsFor } from './list-failed-records.ts'
import { type ActContext, creditRequest, settleByHand } from './settle-by-hand.ts'
import { type FailedRecordDetails, recordName, selectFailedRecordDetails } from './sql/failed-records.ts'

/** A record by its name in lists. @throws {AppError} 404 */
export async function findRecord(db: D1Database, name: string): Promise<FailedRecordDetails> {
  const [, blockchain, kind, id] = /^([A-Za-z]+)-([a-z_]+)-([\x21-\x7e]{1,200})$/.exec(name) ?? []
  const known = isBlockchain(blockchain) && kind !== undefined && id !== undefined
  const record = known ? await selectFailedRecordDetails(db, { blockchain, kind, id }) : undefined
  if (!record) throw notFound('No failed record has this id; it may have been decided already.')
  return record
}

/**
 * Does what an operator decided about a record; `record` in `context` makes the audit entry, in the same batch.
 * @throws {AppError} 400 for an act that is invalid for it, 404, 409
 */
export async function decideRecord(
  context: ActContext,
  found: FailedRecordDetails,
  action: RecordAction,
): Promise<void> {
  const { db, now } = context
  const { kind, id, blockchain, owner } = found
  if (!actionsFor(kind).includes(action)) {
    throw invalidField('action', `must be one of ${actionsFor(kind).join(', ')} for ${recordName(found)}.`)
  }
  if (action === 'settle') return void (await settleByHand(context, id))
  if (action === 'credit') return await creditRequest(context, id)
  const audit = context.record({ blockchain, ...(owner === null ? {} : { account: owner }) })
  if (kind === 'stopped') return void (await retryItem(db, id, () => audit, now))
  if (kind === 'owner') {
    if (await batchIf(db, [deleteFailedRecordStatement(db, blockchain, kind, [id]), ...audit])) return
    throw new AppError(409, 'request_changing', 'The record has changed since you read it. Read it again.')
  }
  const act = action === 'close' ? [closeTxChainOfCoinStatement(db, blockchain, id)] : await sendAgain(db, found)
  if (await batchIf(db, [...act, retryFailedRecordStatement(db, found), ...audit])) return
  throw new AppError(409, 'request_changing', 'The record has changed since you read it. Read it again.')
}

/** The statements that let a withdrawal that is held, or that the node refused, be signed and sent; none for other records. */
async function sendAgain(db: D1Database, { kind, id }: FailedRecordDetails): Promise<D1PreparedStatement[]> {
  if (kind === 'held') return approveStatements(db, id)
  const [withdrawal] = kind === 'refused' ? await selectWithdrawalsById(db, [id]) : []
  return withdrawal?.state === 'failed' ? retryWithdrawalStatements(db, id) : []
}
