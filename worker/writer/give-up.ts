import type { Blockchain } from '../../protocol/chains.ts'
import { closeLanesOf } from '../storage/writes/lanes.ts'
import { markDead } from '../storage/writes/transaction-states.ts'
import type { WrittenTransaction } from '../storage/writes/transactions.ts'

/** The transactions that can't be without `from`: itself and what follows in its lane. */
export function followersOf(
  unmined: readonly WrittenTransaction[],
  from: Pick<WrittenTransaction, 'lane' | 'seq'>,
): WrittenTransaction[] {
  return unmined.filter(({ lane, seq }) => lane === from.lane && seq >= from.seq)
}

/** The statements that give up transactions, with the lanes that start from their outputs. */
export function giveUp(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly WrittenTransaction[],
): D1PreparedStatement[] {
  const txids = transactions.map(({ txid }) => txid)
  return [...markDead(db, blockchain, transactions), closeLanesOf(db, blockchain, txids)]
}
