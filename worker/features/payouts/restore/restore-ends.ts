import type { Blockchain } from '../../../../protocol/chains.ts'
import { batchIf, ROUNDS } from '../../../platform/d1/guarded-batch.ts'
import { debitLost } from '../end/debit-lost.ts'
import { type EndContext, isOpen, RETURNING_TO_WALLET, refundStatements, SERVICE } from '../end/end-withdrawal.ts'
import { withdrawalAuditStatement, withdrawalEventStatement } from '../end/withdrawal-event.ts'
import { type EndRecord, getEndRecord, listEndRecords } from '../record/end-records.ts'
import { hasPayoutRecord } from '../record/payout-records.ts'
import { tieToPayoutStatements } from '../sql/tie-to-payouts.ts'
import { beginEndingStatements, endUnsignedStatements, selectIsSigned } from '../sql/withdrawal-ends.ts'
import { insertWithdrawalStatement, selectWithdrawalsById, type Withdrawal } from '../sql/withdrawals.ts'

/** Ends restored at a time: D1 allows 1,000 statements for one call, and each takes about ten. */
const MOST = 50

const SOME_LEFT = 'Ends of withdrawals that the database has lost are being restored.'

/**
 * Ends withdrawals again whose end a restored database has lost, by the records in the bucket: what an operator paid elsewhere or gave
 * back, or its owner cancelled, is never paid as well. One that the database has lost altogether is written down again where it was
 * paid elsewhere, and debited with what the balance has: only when the deposits since are found again (`isSettled`).
 * @throws {Error} where some are left, which the next call restores, and where the bucket does not answer
 */
export async function restoreEnds(context: EndContext, blockchain: Blockchain, isSettled: boolean): Promise<void> {
  let left = MOST
  let wereFaster = 0
  for await (const page of listEndRecords(context.bucket, blockchain)) {
    const ids = page.map(({ id }) => id)
    const known = new Map((await selectWithdrawalsById(context.db, ids)).map((one) => [one.id, one]))
    const lost = page.filter((named) => (isSettled || known.has(named.id)) && isLost(named, known.get(named.id)))
    // Of two, one was refused then: what was perhaps paid elsewhere is not returned.
    const isSurest = ({ ended }: (typeof lost)[number]) => Number(ended === 'paid_elsewhere')
    for (const named of lost.toSorted((a, b) => isSurest(b) - isSurest(a))) {
      if (left === 0) throw new Error(SOME_LEFT)
      const record = await getEndRecord(context.bucket, blockchain, named)
      const outcome = record ? await restoreEnd(context, blockchain, record) : 'nothing'
      if (outcome !== 'nothing') left--
      if (outcome === 'busy') wereFaster++
    }
  }
  if (wereFaster > 0) throw new Error(SOME_LEFT)
}

/** Whether a withdrawal is not over as its record says. */
function isLost({ ended }: Pick<EndRecord, 'ended'>, kept: Withdrawal | undefined): boolean {
  return kept ? isOpen(kept) && !kept.ending : ended === 'paid_elsewhere'
}

/** `nothing` where the end was refused when it was requested; `busy` where others changed its balance each time. */
async function restoreEnd(
  context: EndContext,
  blockchain: Blockchain,
  record: EndRecord,
): Promise<'restored' | 'nothing' | 'busy'> {
  const { db, bucket } = context
  if (!record.coin && (await hasPayoutRecord(bucket, blockchain, record.id))) return 'nothing'
  for (let round = 0; round < ROUNDS; round++) {
    const [kept] = await selectWithdrawalsById(db, [record.id])
    if (!isLost(record, kept)) return round === 0 ? 'nothing' : 'restored'
    const withdrawal = kept ?? (await insertLost(context, blockchain, record))
    if (!withdrawal) continue
    const statements = await endAgainStatements(context, withdrawal, record)
    if (!statements) return 'nothing'
    if (await batchIf(db, statements)) return 'restored'
  }
  return 'busy'
}

/** The statements that end a withdrawal as its record says; `undefined` where that end was refused. */
async function endAgainStatements(
  { db, now }: EndContext,
  withdrawal: Withdrawal,
  { ended, ...record }: EndRecord,
): Promise<D1PreparedStatement[] | undefined> {
  const { id } = withdrawal
  const coin = withdrawal.coin ?? record.coin
  const reason = `${ended}: the database had lost this`
  const audit = withdrawalAuditStatement(db, withdrawal, { at: now, act: 'withdrawal.ended', reason })
  if (!coin) {
    if (await selectIsSigned(db, id)) return undefined
    return [
      ...endUnsignedStatements(db, id, ended),
      ...(ended === 'paid_elsewhere' ? [] : await refundStatements(db, withdrawal, now)),
      withdrawalEventStatement(db, withdrawal, ended, now),
      audit,
    ]
  }
  // One that was cancelled was signed by a step during which the database was restored, and never sent.
  const ending = ended === 'cancelled' ? 'refunded' : ended
  return [
    ...(withdrawal.coin ? [] : tieToPayoutStatements(db, id, coin, now)),
    ...beginEndingStatements(db, id, { ending, reason: RETURNING_TO_WALLET }, now),
    audit,
  ]
}

/** Writes a withdrawal down again that was paid elsewhere and that the database has lost. */
async function insertLost(
  { db, now }: EndContext,
  blockchain: Blockchain,
  record: EndRecord,
): Promise<Withdrawal | undefined> {
  const { id, account: userId, address, script, amount, fee, feeRate } = record
  const debit = userId === SERVICE ? undefined : await debitLost(db, record, { userId, blockchain }, now)
  // It is never paid.
  const asked = { id, userId, blockchain, address, script, amount, fee, feeRate }
  await batchIf(db, [insertWithdrawalStatement(db, { ...asked, createdAt: now }), ...(debit?.statements ?? [])])
  const [withdrawal] = await selectWithdrawalsById(db, [id])
  return withdrawal
}
