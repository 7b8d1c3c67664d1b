import type { Blockchain } from '../../../../protocol/chains.ts'
import { insertLedgerStatement, selectLedgerTail } from '../../payments/sql/ledger.ts'
import { restoreFeeStatements } from '../sql/withdrawal-ends.ts'
import type { Withdrawal } from '../sql/withdrawals.ts'
import { SERVICE } from './end-withdrawal.ts'

/** How much of a withdrawal that the database has lost the balance covers, and the statement that debits it; base units. */
export async function debitLost(
  db: D1Database,
  { id, amount, fee }: { id: string; amount: bigint; fee: bigint },
  account: { userId: string; blockchain: Blockchain },
  now: number,
): Promise<{ taken: bigint; statements: D1PreparedStatement[] }> {
  const tail = await selectLedgerTail(db, account.userId, account.blockchain)
  const first = tail.balance < amount ? tail.balance : amount
  const rest = tail.balance - first < fee ? tail.balance - first : fee
  const moves = [
    { amount: -first, cause: `withdrawal:${id}` },
    { amount: -rest, cause: `withdrawal-fee:${id}` },
  ].filter((move) => move.amount !== 0n)
  const statements = moves.length > 0 ? [insertLedgerStatement(db, account, tail, moves, now)] : []
  return { taken: first + rest, statements }
}

/**
 * Where a withdrawal was paid with a higher fee than the database has, consent to it was lost in a restore: the statements
 * that raise the fee and debit the increase, and what the balance lacks for that; base units.
 */
export async function debitLostFee(
  db: D1Database,
  withdrawal: Pick<Withdrawal, 'id' | 'userId' | 'blockchain' | 'fee'>,
  { fee, feeRate }: { fee: bigint; feeRate: bigint },
  now: number,
): Promise<{ loss: bigint; statements: D1PreparedStatement[] }> {
  const { id, userId, fee: was } = withdrawal
  const more = fee - was
  if (more <= 0n || userId === SERVICE) return { loss: 0n, statements: [] }
  const tail = await selectLedgerTail(db, userId, withdrawal.blockchain)
  const taken = tail.balance < more ? tail.balance : more
  const move = { amount: -taken, cause: `withdrawal-fee:${id}:${fee}` }
  return {
    loss: more - taken,
    statements: [
      ...restoreFeeStatements(db, id, { was, fee, feeRate }),
      ...(taken > 0n ? [insertLedgerStatement(db, withdrawal, tail, [move], now)] : []),
    ],
  }
}
