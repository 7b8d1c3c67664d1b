import type { Blockchain } from '../../../protocol/chains.ts'
import { markDeadStatements } from '../wallet/sql/transaction-states.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import { closeTxChainsFromStatement } from '../wallet/sql/tx-chains.ts'

/** The transactions that can't be without `from`: itself and what follows in its tx chain. */
export function followersOf(
  unmined: readonly OwnTransaction[],
  from: Pick<OwnTransaction, 'txChain' | 'seq'>,
): OwnTransaction[] {
  return unmined.filter(({ txChain, seq }) => txChain === from.txChain && seq >= from.seq)
}

/** The statements that give up transactions, with the tx chains that start from their outputs. */
export function giveUp(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly OwnTransaction[],
): D1PreparedStatement[] {
  const txids = transactions.map(({ txid }) => txid)
  return [...markDeadStatements(db, blockchain, transactions), closeTxChainsFromStatement(db, blockchain, txids)]
}
