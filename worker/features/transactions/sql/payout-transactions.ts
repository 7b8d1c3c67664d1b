import type { Blockchain } from '../../../../protocol/chains.ts'
import type { TransactionState } from './transactions.ts'

/** A transaction that was signed for a withdrawal. */
export interface WithdrawalTransaction {
  txid: string
  state: TransactionState
  /** Height of the best chain when the node first took it. */
  sentHeight: number | null
}

/** Transactions that were ever signed for a withdrawal: the live one, and the newest of those that were given up, a hundred in all. */
export async function selectTransactionsOf(db: D1Database, id: string): Promise<WithdrawalTransaction[]> {
  const { results } = await db
    .prepare(
      `SELECT txid, state, sent_height AS sentHeight FROM transactions WHERE withdrawal_id = ?
       ORDER BY state = 'dead', rowid DESC LIMIT 100`,
    )
    .bind(id)
    .all<WithdrawalTransaction>()
  return results
}

/** Transactions of a withdrawal that were given up, the newest a hundred. */
export async function selectDeadTransactions(db: D1Database, id: string): Promise<string[]> {
  const { results } = await db
    .prepare(`SELECT txid FROM transactions WHERE withdrawal_id = ? AND state = 'dead' ORDER BY rowid DESC LIMIT 100`)
    .bind(id)
    .all<{ txid: string }>()
  return results.map(({ txid }) => txid)
}

/** The statement that takes a transaction for sent that was given up and that the chain or the mempool has after all. */
export function reviveTransactionStatement(
  db: D1Database,
  blockchain: Blockchain,
  txid: string,
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET state = 'sent', sent_height = IFNULL(sent_height, ?1), checked_height = ?1 - 1
       WHERE blockchain = ?2 AND txid = ?3 AND state = 'dead'`,
    )
    .bind(height, blockchain, txid)
}

/** The live transaction at the beginning of a tx chain; `blockHeight` where it is in a block. */
export async function selectTxChainBeginning(
  db: D1Database,
  blockchain: Blockchain,
  txChain: number,
): Promise<{ blockHeight: number | null } | undefined> {
  const row = await db
    .prepare(
      `SELECT block_height AS blockHeight FROM transactions
       WHERE blockchain = ? AND tx_chain = ? AND seq = 0 AND dead = 0`,
    )
    .bind(blockchain, txChain)
    .first<{ blockHeight: number | null }>()
  return row ?? undefined
}
