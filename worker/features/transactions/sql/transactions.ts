import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

export type TransactionState = 'signed' | 'sent' | 'mined' | 'dead'

/** A transaction that we signed; amounts in base units. */
export interface OwnTransaction {
  txid: string
  txChain: number
  seq: number
  /** The item that it carries a piece of. */
  itemId: string | undefined
  itemIndex: number | undefined
  /** The withdrawal that it pays; with neither it pays for the tx chain before it, or, at its beginning, makes one coin of several. */
  withdrawalId: string | undefined
  /** R2 key of the signed bytes, and where this one's lie in it. */
  bundle: string
  offset: number
  length: number
  vsize: number
  fee: bigint
  changeVout: number
  changeValue: bigint
  state: TransactionState
  attempts: number
  /** Height of the best chain when the node first accepted it, and when it was last known to be in the mempool. */
  sentHeight: number | undefined
  checkedHeight: number | undefined
  blockHeight: number | undefined
  /** Height of the best chain when another transaction in a block was first found to spend an input of it. */
  spentHeight: number | undefined
}

const COLUMNS = `txid, tx_chain, seq, item_id, item_index, withdrawal_id, bundle, "offset", length, vsize, fee, change_vout,
  change_value, state, attempts, sent_height, checked_height, block_height, spent_height`

const toTransaction = rowReader<OwnTransaction>({ fee: BigInt, changeValue: BigInt })

/** What a newly signed transaction is recorded with. */
export interface SignedTransaction
  extends Omit<OwnTransaction, 'state' | 'attempts' | 'sentHeight' | 'checkedHeight' | 'blockHeight' | 'spentHeight'> {
  inputs: readonly { txid: string; vout: number }[]
}

/**
 * The statements that record signed transactions and what they spend. They fail if an output is spent already. A dead
 * transaction is live again if the same one is signed again: an equal txid proves that it is the same. A transaction
 * that spends the change of the one before it in its tx chain, and is recorded with it, has no row of inputs: its place
 * says what it spends.
 */
export function insertTransactionsStatements(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly SignedTransaction[],
): D1PreparedStatement[] {
  const rows = transactions.map(({ inputs: _, ...transaction }) => ({
    ...transaction,
    fee: transaction.fee.toString(),
    changeValue: transaction.changeValue.toString(),
  }))
  const byPlace = new Map(transactions.map((one) => [`${one.txChain}:${one.seq}`, one]))
  const inputs: Spending[] = []
  const chained: Spending[] = []
  for (const one of transactions) {
    const list = goesOn(one, byPlace.get(`${one.txChain}:${one.seq - 1}`)) ? chained : inputs
    for (const { txid, vout } of one.inputs) list.push({ prevTxid: txid, prevVout: vout, txid: one.txid })
  }
  return [
    db
      .prepare(
        `INSERT INTO transactions (blockchain, txid, tx_chain, seq, item_id, item_index, withdrawal_id, bundle, "offset", length,
           vsize, fee, change_vout, change_value, state)
         SELECT ?, value ->> 'txid', value ->> 'txChain', value ->> 'seq', value ->> 'itemId', value ->> 'itemIndex',
           value ->> 'withdrawalId', value ->> 'bundle', value ->> 'offset', value ->> 'length', value ->> 'vsize', value ->> 'fee',
           value ->> 'changeVout', value ->> 'changeValue', 'signed'
         FROM json_each(?) WHERE true
         ON CONFLICT (blockchain, txid) DO UPDATE SET state = 'signed', tx_chain = excluded.tx_chain, seq = excluded.seq,
           item_id = excluded.item_id, item_index = excluded.item_index, withdrawal_id = excluded.withdrawal_id, bundle = excluded.bundle,
           "offset" = excluded."offset", length = excluded.length, spent_height = NULL
         WHERE state = 'dead'`,
      )
      .bind(blockchain, JSON.stringify(rows)),
    db
      .prepare(
        `INSERT INTO transaction_inputs (blockchain, prev_txid, prev_vout, txid)
         SELECT ?, value ->> 'prevTxid', value ->> 'prevVout', value ->> 'txid' FROM json_each(?)`,
      )
      .bind(blockchain, JSON.stringify(inputs)),
    assertionStatement(
      db,
      `NOT EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN transaction_inputs
         ON blockchain = ? AND prev_txid = value ->> 'prevTxid' AND prev_vout = value ->> 'prevVout')`,
      ...[JSON.stringify(chained), blockchain],
    ),
    assertionStatement(
      db,
      `NOT EXISTS (SELECT 1 FROM json_each(?1) CROSS JOIN transactions AS before
         ON before.blockchain = ?2 AND before.txid = value ->> 'prevTxid' AND before.change_vout = value ->> 'prevVout'
         CROSS JOIN transactions AS next ON ${goesOnSql('?2')} WHERE next.txid != value ->> 'txid')`,
      ...[JSON.stringify(inputs), blockchain],
    ),
  ]
}

/** An output that a transaction spends. */
interface Spending {
  prevTxid: string
  prevVout: number
  txid: string
}

function goesOn({ inputs: [input, other] }: SignedTransaction, before: SignedTransaction | undefined): boolean {
  return other === undefined && input?.txid === before?.txid && input?.vout === before?.changeVout
}

/** That the live transaction `next` spends the change of the live one `before`, as SQL; `chain` names the blockchain. */
function goesOnSql(chain: string): string {
  return `before.dead = 0 AND next.blockchain = ${chain} AND next.tx_chain = before.tx_chain AND next.seq = before.seq + 1
    AND next.dead = 0`
}

/** What a transaction is for, and its place in its tx chain. */
export type Purpose = Pick<OwnTransaction, 'itemId' | 'withdrawalId' | 'seq'>

/** Whether a transaction carries nothing and exists only for its fee: it pays for those before it in its tx chain. */
export function isBump({ itemId, withdrawalId, seq }: Purpose): boolean {
  return itemId === undefined && withdrawalId === undefined && seq > 0
}

/** Whether a transaction makes one coin of several: it carries nothing, and begins its tx chain. */
export function isConsolidation({ itemId, withdrawalId, seq }: Purpose): boolean {
  return itemId === undefined && withdrawalId === undefined && seq === 0
}

/** The txids of transactions, in their order. */
export function txidsOf(transactions: readonly Pick<OwnTransaction, 'txid'>[]): string[] {
  return transactions.map(({ txid }) => txid)
}

/** Transactions of one page, some 300 bytes each, and of all pages of one state: their txids fit into one value of D1. */
const PER_PAGE = 2_000
const MOST_UNMINED = 20_000

/**
 * Live transactions that have no block, in the order in which they can be sent: all of them, or, as after a chain was accepted
 * that has none of what was mined, the oldest of them.
 */
export async function selectUnmined(db: D1Database, blockchain: Blockchain): Promise<OwnTransaction[]> {
  const unmined = [...(await selectInState(db, blockchain, 'sent')), ...(await selectInState(db, blockchain, 'signed'))]
  return unmined.sort((a, b) => a.seq - b.seq || a.txChain - b.txChain)
}

async function selectInState(
  db: D1Database,
  blockchain: Blockchain,
  state: TransactionState,
): Promise<OwnTransaction[]> {
  const found: OwnTransaction[] = []
  for (let after = 0; found.length < MOST_UNMINED; ) {
    const { results } = await db
      .prepare(
        // By the index of heights, whose entries without one are in the order of rows.
        `SELECT rowid AS place, ${COLUMNS} FROM transactions
         WHERE blockchain = ? AND block_height IS NULL AND dead = 0 AND state = ? AND rowid > ?
         ORDER BY rowid LIMIT ${PER_PAGE}`,
      )
      .bind(blockchain, state, after)
      .all<Row<OwnTransaction> & { place: number }>()
    for (const { place, ...row } of results) {
      found.push(toTransaction(row))
      after = place
    }
    if (results.length < PER_PAGE) break
  }
  return found
}

/** Whether any live transaction has no block. */
export async function hasUnmined(db: D1Database, blockchain: Blockchain): Promise<boolean> {
  const row = await db
    .prepare(`SELECT 1 AS found FROM transactions WHERE blockchain = ? AND block_height IS NULL AND dead = 0 LIMIT 1`)
    .bind(blockchain)
    .first<{ found: number }>()
  return row !== null
}

/** Whether a transaction that makes one coin of several has no block yet. */
export async function isGathering(db: D1Database, blockchain: Blockchain): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT 1 FROM transactions WHERE blockchain = ? AND block_height IS NULL AND dead = 0 AND seq = 0
         AND item_id IS NULL AND withdrawal_id IS NULL LIMIT 1`,
    )
    .bind(blockchain)
    .first()
  return row !== null
}

/** An output that a recorded transaction spends. */
interface RecordedInput {
  spender: string
  txid: string
  vout: number
}

/** The outputs that live transactions are recorded to spend; not the change before one in a tx chain, where it was recorded with that. */
export async function selectInputs(
  db: D1Database,
  blockchain: Blockchain,
  spenders: readonly string[],
): Promise<RecordedInput[]> {
  const inputs: RecordedInput[] = []
  for (const part of inParts(spenders)) {
    const { results } = await db
      .prepare(
        `SELECT txid AS spender, prev_txid AS txid, prev_vout AS vout FROM transaction_inputs
         WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<RecordedInput>()
    inputs.push(...results)
  }
  return inputs
}

/** The last live transaction of each open tx chain that has one. */
export async function selectTxChainTips(db: D1Database, blockchain: Blockchain): Promise<OwnTransaction[]> {
  const { results } = await db
    .prepare(
      // Tx chain by tx chain: all transactions there ever were must not be read for each step.
      `SELECT ${COLUMNS.replace('state', 'transactions.state')} FROM tx_chains CROSS JOIN transactions
       ON transactions.blockchain = tx_chains.blockchain AND transactions.tx_chain = tx_chains.id AND transactions.dead = 0
         AND transactions.seq = (SELECT MAX(seq) FROM transactions AS own
           WHERE own.blockchain = tx_chains.blockchain AND own.tx_chain = tx_chains.id AND own.dead = 0)
       WHERE tx_chains.blockchain = ? AND tx_chains.state = 'open'`,
    )
    .bind(blockchain)
    .all<Row<OwnTransaction>>()
  return results.map(toTransaction)
}

/** Outputs that live transactions of ours spend, or that withdrawals are tied to, as `txid:vout`. */
export async function selectSpent(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Set<string>> {
  const points = new Set<string>()
  // A wallet of the 1.14 family lists all that it has: tens of thousands are more than one value may hold.
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT prev_txid || ':' || prev_vout AS point FROM transaction_inputs
         WHERE blockchain = ?1 AND prev_txid IN (SELECT value FROM json_each(?2))
         UNION SELECT before.txid || ':' || before.change_vout FROM json_each(?2) CROSS JOIN transactions AS before
           ON before.blockchain = ?1 AND before.txid = value
           CROSS JOIN transactions AS next ON ${goesOnSql('?1')}
         UNION SELECT coin_txid || ':' || coin_vout FROM withdrawals
         WHERE blockchain = ?1 AND state IN ('waiting', 'sent', 'failed') AND coin_txid IS NOT NULL`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<{ point: string }>()
    for (const { point } of results) points.add(point)
  }
  return points
}

/** Whether a transaction is one that this service wrote. */
export async function isOwnTransaction(db: D1Database, blockchain: Blockchain, txid: string): Promise<boolean> {
  const statement = db.prepare('SELECT 1 FROM transactions WHERE blockchain = ? AND txid = ?')
  return (await statement.bind(blockchain, txid).first()) !== null
}
