import type { Blockchain } from '../../../../protocol/chains.ts'
import { outpointOf } from '../../../../protocol/transaction.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

/** An output that a tx chain starts from; `script` in hex, `value` in base units. */
export interface Coin {
  txid: string
  vout: number
  value: bigint
  script: string
}

/** A chain of our transactions. */
export interface TxChain {
  id: number
  coin: Coin
  /** Script of the change all along it, in hex. */
  script: string
}

const toCoin = rowReader<Coin>({ value: BigInt })

/** Tx chains that transactions are still added to. */
export async function selectOpenTxChains(db: D1Database, blockchain: Blockchain): Promise<TxChain[]> {
  const { results } = await db
    .prepare(
      `SELECT id, script AS change, coin_txid AS txid, coin_vout AS vout, coin_value AS value, coin_script AS script
       FROM tx_chains WHERE blockchain = ? AND state = 'open' ORDER BY id`,
    )
    .bind(blockchain)
    .all<Row<Coin> & { id: number; change: string }>()
  return results.map(({ id, change, ...coin }) => ({ id, coin: toCoin(coin), script: change }))
}

/** Script of the change all along a tx chain, in hex. */
export async function selectTxChainScript(
  db: D1Database,
  blockchain: Blockchain,
  txChain: number,
): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT script FROM tx_chains WHERE blockchain = ? AND id = ?')
    .bind(blockchain, txChain)
    .first<{ script: string }>()
  return row?.script
}

/** Those of some tx chains that nothing is added to any more. */
export async function selectClosedTxChains(
  db: D1Database,
  blockchain: Blockchain,
  ids: readonly number[],
): Promise<number[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM tx_chains
       WHERE blockchain = ? AND id IN (SELECT value FROM json_each(?)) AND state = 'closed' ORDER BY id`,
    )
    .bind(blockchain, JSON.stringify(ids))
    .all<{ id: number }>()
  return results.map(({ id }) => id)
}

/** The statement after which transactions are added to tx chains again. */
export function reopenTxChainsStatement(
  db: D1Database,
  blockchain: Blockchain,
  ids: readonly number[],
): D1PreparedStatement {
  return db
    .prepare(`UPDATE tx_chains SET state = 'open' WHERE blockchain = ? AND id IN (SELECT value FROM json_each(?))`)
    .bind(blockchain, JSON.stringify(ids))
}

/** An id above all that tx chains of this chain have. */
export async function selectNextTxChainId(db: D1Database, blockchain: Blockchain): Promise<number> {
  const statement = db
    .prepare('SELECT IFNULL(MAX(id), 0) + 1 AS id FROM tx_chains WHERE blockchain = ?')
    .bind(blockchain)
  return (await firstRow<{ id: number }>(statement)).id
}

/** The statement that opens tx chains. */
export function insertTxChainsStatement(
  db: D1Database,
  blockchain: Blockchain,
  txChains: readonly TxChain[],
): D1PreparedStatement {
  const rows = txChains.map(({ id, coin, script }) => ({ id, ...coin, value: coin.value.toString(), change: script }))
  return db
    .prepare(
      `INSERT INTO tx_chains (blockchain, id, coin_txid, coin_vout, coin_value, coin_script, script, state)
       SELECT ?, value ->> 'id', value ->> 'txid', value ->> 'vout', value ->> 'value', value ->> 'script',
         value ->> 'change', 'open'
       FROM json_each(?)`,
    )
    .bind(blockchain, JSON.stringify(rows))
}

/** The statement that records a tx chain that nothing is ever added to. */
export function insertClosedTxChainStatement(
  db: D1Database,
  blockchain: Blockchain,
  { id, coin, script }: TxChain,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO tx_chains (blockchain, id, coin_txid, coin_vout, coin_value, coin_script, script, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'closed')`,
    )
    .bind(blockchain, id, coin.txid, coin.vout, coin.value.toString(), coin.script, script)
}

/** The statement that closes tx chains: the rest of their coins belongs to the wallet again. */
export function closeTxChainsStatement(
  db: D1Database,
  blockchain: Blockchain,
  ids: readonly number[],
): D1PreparedStatement {
  return db
    .prepare(`UPDATE tx_chains SET state = 'closed' WHERE blockchain = ? AND id IN (SELECT value FROM json_each(?))`)
    .bind(blockchain, JSON.stringify(ids))
}

/** The statement that closes the tx chain that started from a coin, `txid:vout`, or that has this number. */
export function closeTxChainOfCoinStatement(db: D1Database, blockchain: Blockchain, name: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE tx_chains SET state = 'closed'
       WHERE blockchain = ?1 AND state = 'open' AND (coin_txid || ':' || coin_vout = ?2 OR CAST(id AS TEXT) = ?2)`,
    )
    .bind(blockchain, name)
}

/** The statement that closes tx chains whose coin is an output of dead transactions. */
export function closeTxChainsFromStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE tx_chains SET state = 'closed'
       WHERE blockchain = ? AND state = 'open' AND coin_txid IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, JSON.stringify(txids))
}

/** Open tx chains on which nothing waits: their last transaction is in a block at or below `height`, or they have none. */
export async function selectIdleTxChains(db: D1Database, blockchain: Blockchain, height: number): Promise<number[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM tx_chains WHERE blockchain = ?1 AND state = 'open' AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE blockchain = ?1 AND tx_chain = tx_chains.id AND dead = 0
           AND (block_height IS NULL OR block_height > ?2))
       AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE blockchain = ?1 AND txid = tx_chains.coin_txid AND state IN ('signed', 'sent'))`,
    )
    .bind(blockchain, height)
    .all<{ id: number }>()
  return results.map(({ id }) => id)
}

/**
 * Outputs that signed transactions spend which the node has not accepted, so that its wallet does not know that they
 * are spent.
 */
export async function selectUnsentInputs(
  db: D1Database,
  blockchain: Blockchain,
): Promise<Pick<Coin, 'txid' | 'vout'>[]> {
  const { results } = await db
    .prepare(
      `SELECT prev_txid AS txid, prev_vout AS vout FROM transactions CROSS JOIN transaction_inputs AS spent
         ON spent.blockchain = transactions.blockchain AND spent.txid = transactions.txid
       WHERE transactions.blockchain = ?1 AND block_height IS NULL AND dead = 0 AND transactions.state = 'signed'
         AND NOT EXISTS (
           SELECT 1 FROM transactions AS before
           WHERE before.blockchain = ?1 AND before.txid = spent.prev_txid AND before.state = 'signed')
       UNION SELECT before.txid, before.change_vout FROM transactions CROSS JOIN transactions AS before
         ON before.blockchain = ?1 AND before.tx_chain = transactions.tx_chain AND before.seq = transactions.seq - 1
           AND before.dead = 0
       WHERE transactions.blockchain = ?1 AND transactions.block_height IS NULL AND transactions.dead = 0
         AND transactions.state = 'signed' AND before.state != 'signed'`,
    )
    .bind(blockchain)
    .all<{ txid: string; vout: number }>()
  return results
}

/** Those of the outputs that tx chains started from, or went on from. */
export async function selectOwnOutputs<T extends { txid: string; vout: number }>(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly T[],
): Promise<T[]> {
  const { results } = await db
    .prepare(
      `SELECT coin_txid || ':' || coin_vout AS name FROM tx_chains
         WHERE blockchain = ?1 AND coin_txid IN (SELECT value FROM json_each(?2))
       UNION SELECT txid || ':' || change_vout FROM transactions
         WHERE blockchain = ?1 AND txid IN (SELECT value FROM json_each(?2))`,
    )
    .bind(blockchain, JSON.stringify(outputs.map(({ txid }) => txid)))
    .all<{ name: string }>()
  const names = new Set(results.map(({ name }) => name))
  return outputs.filter((output) => names.has(outpointOf(output)))
}
