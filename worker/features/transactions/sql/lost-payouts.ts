import type { Blockchain } from '../../../../protocol/chains.ts'
import { type Coin, insertClosedTxChainStatement } from './tx-chains.ts'

/** A transaction that paid a withdrawal, which the database does not know; `height` of the best chain. */
export interface LostPayout {
  blockchain: Blockchain
  txid: string
  withdrawalId: string
  txChain: number
  height: number
  paid: { coin: Coin; txChain: { script: string; vsize: number; fee: bigint; changeVout: number; changeValue: bigint } }
}

/**
 * The statements that write down a transaction that was sent and that the database has lost, on a tx chain of its own that nothing is
 * added to. Its bytes are not here: where the chain loses it, another is made with the same coin.
 */
export function insertLostPayoutStatements(
  db: D1Database,
  { blockchain, txid, withdrawalId, txChain, height, paid }: LostPayout,
): D1PreparedStatement[] {
  const { coin, txChain: own } = paid
  return [
    insertClosedTxChainStatement(db, blockchain, { id: txChain, coin, script: own.script }),
    db
      .prepare(
        `INSERT INTO transactions (blockchain, txid, tx_chain, seq, withdrawal_id, bundle, "offset", length, vsize, fee,
           change_vout, change_value, state, attempts, sent_height, checked_height)
         VALUES (?1, ?2, ?3, 0, ?4, '', 0, 0, ?5, ?6, ?7, ?8, 'sent', 1, ?9, ?9 - 1)`,
      )
      .bind(
        ...[blockchain, txid, txChain, withdrawalId, own.vsize, own.fee.toString()],
        ...[own.changeVout, own.changeValue.toString(), height],
      ),
    db
      .prepare('INSERT OR IGNORE INTO transaction_inputs (blockchain, prev_txid, prev_vout, txid) VALUES (?, ?, ?, ?)')
      .bind(blockchain, coin.txid, coin.vout, txid),
  ]
}
