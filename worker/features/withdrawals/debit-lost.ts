import type { Blockchain } from '../../../protocol/chains.ts'
import { insertLedgerStatement, selectLedgerTail } from '../payments/sql/ledger.ts'

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
