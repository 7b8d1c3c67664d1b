import type { Blockchain } from '../../../protocol/chains.ts'
import { assertionStatement } from '../guarded-batch.ts'

/** An output that pays an address of ours; `amount` in base units, `seenAt` in milliseconds. */
export interface Output {
  txid: string
  vout: number
  address: string
  amount: bigint
  coinbase: boolean
  seenAt: number
  inMempool: boolean
  blockHash: string | undefined
  blockHeight: number | undefined
  credited: boolean
}

interface OutputRow {
  txid: string
  vout: number
  address: string
  amount: string
  coinbase: number
  seen_at: number
  in_mempool: number
  block_hash: string | null
  block_height: number | null
  credited: number
}

const COLUMNS = 'txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height, credited'

function toOutput(row: OutputRow): Output {
  return {
    txid: row.txid,
    vout: row.vout,
    address: row.address,
    amount: BigInt(row.amount),
    coinbase: row.coinbase === 1,
    seenAt: row.seen_at,
    inMempool: row.in_mempool === 1,
    blockHash: row.block_hash ?? undefined,
    blockHeight: row.block_height ?? undefined,
    credited: row.credited === 1,
  }
}

/** The statement that records outputs: a known one gets the place that the chain gives it now. */
export function upsertOutputsStatement(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly Omit<Output, 'credited'>[],
): D1PreparedStatement {
  const rows = outputs.map((output) => ({
    ...output,
    amount: output.amount.toString(),
    coinbase: output.coinbase ? 1 : 0,
    inMempool: output.inMempool ? 1 : 0,
  }))
  // The block must still be followed: a rollback may have come between reading and writing.
  return db
    .prepare(
      `INSERT INTO outputs (blockchain, txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height)
       SELECT ?1, value ->> 'txid', value ->> 'vout', value ->> 'address', value ->> 'amount', value ->> 'coinbase',
         value ->> 'seenAt', value ->> 'inMempool', blocks.hash, blocks.height
       FROM json_each(?2) LEFT JOIN blocks ON blocks.blockchain = ?1 AND blocks.hash = value ->> 'blockHash'
         AND blocks.height = value ->> 'blockHeight'
       WHERE true
       ON CONFLICT (blockchain, txid, vout) DO UPDATE SET
         in_mempool = excluded.in_mempool, block_hash = excluded.block_hash, block_height = excluded.block_height`,
    )
    .bind(blockchain, JSON.stringify(rows))
}

/** The statement that writes down which transactions without a block are in the node's mempool. */
export function updateInMempoolStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  inMempool: boolean,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE outputs SET in_mempool = ?
       WHERE blockchain = ? AND block_height IS NULL AND txid IN (SELECT value FROM json_each(?))`,
    )
    .bind(inMempool ? 1 : 0, blockchain, JSON.stringify(txids))
}

/** The statement that takes outputs above `height` off the chain. */
export function unmineOutputsAboveStatement(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): D1PreparedStatement {
  return db
    .prepare('UPDATE outputs SET block_hash = NULL, block_height = NULL WHERE blockchain = ? AND block_height > ?')
    .bind(blockchain, height)
}

/** The statement that marks outputs as credited; the ledger's causes are what keeps it to once. */
export function markCreditedStatement(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly Pick<Output, 'txid' | 'vout'>[],
): D1PreparedStatement {
  const points = outputs.map(({ txid, vout }) => `${txid}:${vout}`)
  return db
    .prepare(
      `UPDATE outputs SET credited = 1
       WHERE blockchain = ? AND credited = 0 AND txid || ':' || vout IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, JSON.stringify(points))
}

/** Outputs with any of `txids`. */
export async function selectOutputsByTxid(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Output[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM outputs WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`)
    .bind(blockchain, JSON.stringify(txids))
    .all<OutputRow>()
  return results.map(toOutput)
}

/** All outputs that pay any of `addresses`. */
export async function selectOutputsByAddress(
  db: D1Database,
  blockchain: Blockchain,
  addresses: readonly string[],
): Promise<Output[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM outputs WHERE blockchain = ? AND address IN (SELECT value FROM json_each(?))`)
    .bind(blockchain, JSON.stringify(addresses))
    .all<OutputRow>()
  return results.map(toOutput)
}

/** Outputs that no ledger entry stands for yet. */
export async function selectNotCredited(db: D1Database, blockchain: Blockchain): Promise<Output[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM outputs WHERE blockchain = ? AND credited = 0`)
    .bind(blockchain)
    .all<OutputRow>()
  return results.map(toOutput)
}

/** Transactions of outputs that have no block: waiting, replaced, or thrown out by a reorganisation. */
export async function selectUnminedTxids(db: D1Database, blockchain: Blockchain): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT DISTINCT txid FROM outputs WHERE blockchain = ? AND block_height IS NULL')
    .bind(blockchain)
    .all<{ txid: string }>()
  return results.map(({ txid }) => txid)
}

/** The statement that fails its batch when money is at an address, or on its way there. */
export function assertNoMoneyStatement(db: D1Database, blockchain: Blockchain, address: string): D1PreparedStatement {
  return assertionStatement(
    db,
    `NOT EXISTS (SELECT 1 FROM outputs WHERE blockchain = ? AND address = ?
       AND (in_mempool = 1 OR block_height IS NOT NULL))`,
    blockchain,
    address,
  )
}
