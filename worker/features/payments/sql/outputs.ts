import type { Blockchain } from '../../../../protocol/chains.ts'
import { outpointOf } from '../../../../protocol/transaction.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { type Row, readBoolean, rowReader } from '../../../platform/d1/row-reader.ts'

/** A transaction output that pays an address of our wallet; `amount` in base units, `seenAt` in milliseconds. */
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
  /** How often its credit was reversed because a conflicting transaction was mined. */
  writtenOff: number
  /**
   * The txid of the transaction that its transaction replaced (BIP 125). `earlyAt` is when the replaced transaction was
   * first seen, and `earlyAmount` is how much of this output counts as paid at that time.
   */
  replaces: string | undefined
  earlyAt: number | undefined
  earlyAmount: bigint | undefined
}

/** Columns of an {@link Output}. */
export const OUTPUT_COLUMNS = `txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height, credited,
  written_off, replaces, early_at, early_amount`

const OUTPUT = {
  amount: BigInt,
  earlyAmount: BigInt,
  coinbase: readBoolean,
  inMempool: readBoolean,
  credited: readBoolean,
}
const toOutput = rowReader<Output>(OUTPUT)

/** An output with the owner and the kind of its address. */
export type CreditableOutput = Output & { userId: string; kind: 'request' | 'deposit' }
export const toCreditable = rowReader<CreditableOutput>(OUTPUT)
const toCredited = rowReader<CreditedOutput>(OUTPUT)

/** The fields that an output of a replacement inherits from the replaced transaction. */
type Early = Pick<Output, 'replaces' | 'earlyAt' | 'earlyAmount'>

/** The statements that insert outputs. For a stored output they update the block and the mempool state. */
export function upsertOutputsStatements(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly (Omit<Output, 'credited' | 'writtenOff' | keyof Early> & Partial<Early>)[],
): D1PreparedStatement[] {
  const rows = outputs.map((output) => ({
    ...output,
    amount: output.amount.toString(),
    earlyAmount: output.earlyAmount?.toString(),
    coinbase: Number(output.coinbase),
    inMempool: Number(output.inMempool),
  }))
  // The block is only stored if `blocks` still contains it, because a rollback may have run after the node was read. A
  // block below the oldest height in `blocks` is stored unchecked.
  return inParts(rows).map((part) =>
    db
      .prepare(
        `INSERT INTO outputs (blockchain, txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height,
           replaces, early_at, early_amount)
         SELECT ?1, value ->> 'txid', value ->> 'vout', value ->> 'address', value ->> 'amount', value ->> 'coinbase',
           value ->> 'seenAt', value ->> 'inMempool',
           IIF(oldest.height > value ->> 'blockHeight', value ->> 'blockHash', blocks.hash),
           IIF(oldest.height > value ->> 'blockHeight', value ->> 'blockHeight', blocks.height),
           value ->> 'replaces', value ->> 'earlyAt', value ->> 'earlyAmount'
         FROM (SELECT MIN(height) AS height FROM blocks WHERE blockchain = ?1) AS oldest, json_each(?2)
           LEFT JOIN blocks ON blocks.blockchain = ?1 AND blocks.hash = value ->> 'blockHash'
             AND blocks.height = value ->> 'blockHeight'
         WHERE true
         ON CONFLICT (blockchain, txid, vout) DO UPDATE SET
           in_mempool = excluded.in_mempool, block_hash = excluded.block_hash, block_height = excluded.block_height,
           replaces = IFNULL(replaces, excluded.replaces), early_at = IFNULL(early_at, excluded.early_at),
           early_amount = IFNULL(early_amount, excluded.early_amount),
           dropped = IIF(excluded.in_mempool = 1 OR excluded.block_height IS NOT NULL, 0, dropped),
           gone_at = IIF(excluded.in_mempool = 1 OR excluded.block_height IS NOT NULL, NULL, gone_at), below = NULL`,
      )
      .bind(blockchain, JSON.stringify(part)),
  )
}

/** The statement that stores whether unmined transactions are in the node's mempool, for rows where this changed. */
export function updateInMempoolStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  inMempool: boolean,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE outputs SET in_mempool = ?1, gone_at = IIF(?1 = 1, NULL, IFNULL(gone_at, ?2))
       WHERE blockchain = ?3 AND block_height IS NULL AND dropped = 0 AND (in_mempool != ?1 OR (gone_at IS NULL) = (?1 = 0))
         AND txid IN (SELECT value FROM json_each(?4))`,
    )
    .bind(Number(inMempool), now, blockchain, JSON.stringify(txids))
}

/** How long an output in no block and not in the mempool is still looked up: the default mempool expiry (336 hours). */
export const MEMPOOL_EXPIRY_MS = 14 * 86_400_000

/**
 * The statement that marks outputs of `txids` as dropped, so that they are not looked up any more: those of `conflicted`
 * transactions, whose inputs a mined transaction spends, and those that were in no block and not in the mempool for
 * {@link MEMPOOL_EXPIRY_MS}. Credited outputs are not dropped. An output that is seen again is restored.
 */
export function dropOutputsStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  conflicted: readonly string[],
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE outputs SET dropped = 1, in_mempool = 0
       WHERE blockchain = ?1 AND block_height IS NULL AND dropped = 0 AND credited = 0
         AND txid IN (SELECT value FROM json_each(?2))
         AND (gone_at < ?3 OR txid IN (SELECT value FROM json_each(?4)))`,
    )
    .bind(blockchain, JSON.stringify(txids), now - MEMPOOL_EXPIRY_MS, JSON.stringify(conflicted))
}

/**
 * The statements for a rollback: they clear the block of outputs above `height`, and have outputs looked up again that a
 * transaction in a block had replaced: that may have left the chain. `now` in milliseconds.
 */
export function unmineOutputsAboveStatements(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  now: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare('UPDATE outputs SET block_hash = NULL, block_height = NULL WHERE blockchain = ? AND block_height > ?')
      .bind(blockchain, height),
    db
      .prepare(
        'UPDATE outputs SET dropped = 0 WHERE blockchain = ? AND block_height IS NULL AND dropped = 1 AND gone_at >= ?',
      )
      .bind(blockchain, now - MEMPOOL_EXPIRY_MS),
  ]
}

/**
 * The statements that mark outputs as credited. They fail their batch where one is not in the block any more in which it was
 * read: another step may have learnt on the same tip that it left that. The unique causes of ledger entries prevent a second credit.
 */
export function markCreditedStatements(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly Pick<Output, 'txid' | 'vout' | 'blockHeight'>[],
): D1PreparedStatement[] {
  const read = outputs.map(({ txid, vout, blockHeight }) => ({ txid, vout, blockHeight }))
  return [
    assertionStatement(
      db,
      `NOT EXISTS (SELECT 1 FROM json_each(?) AS read CROSS JOIN outputs
         ON blockchain = ? AND txid = read.value ->> 'txid' AND vout = read.value ->> 'vout'
         WHERE block_height IS NOT read.value ->> 'blockHeight')`,
      ...[JSON.stringify(read), blockchain],
    ),
    db
      .prepare(
        `UPDATE outputs SET credited = 1
         WHERE blockchain = ? AND credited = 0 AND txid || ':' || vout IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(outputs.map(outpointOf))),
  ]
}

/** A credited output; `goneAt` is since when it is neither in a block nor in the mempool (milliseconds). */
export type CreditedOutput = CreditableOutput & { goneAt: number | undefined }

/** The output at an outpoint if it is credited, with the owner of its address. */
export async function selectCredited(
  db: D1Database,
  blockchain: Blockchain,
  { txid, vout }: Pick<Output, 'txid' | 'vout'>,
): Promise<CreditedOutput | undefined> {
  const row = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind, gone_at FROM outputs
       JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ? AND txid = ? AND vout = ? AND credited = 1`,
    )
    .bind(blockchain, txid, vout)
    .first<Row<CreditedOutput>>()
  return row ? toCredited(row) : undefined
}

/**
 * At most `limit` credited outputs that are in no block now, with the owner of the address, in the order of address and outpoint, behind
 * `after`.
 */
export async function selectUnminedCredited(
  db: D1Database,
  blockchain: Blockchain,
  limit: number,
  after: Pick<Output, 'address' | 'txid' | 'vout'> = { address: '', txid: '', vout: 0 },
): Promise<CreditedOutput[]> {
  const { results } = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind, gone_at
       FROM outputs INDEXED BY outputs_suspended
       CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ?1 AND credited = 1 AND block_height IS NULL AND outputs.address >= ?2
         AND (outputs.address, txid, vout) > (?2, ?3, ?4)
       ORDER BY outputs.address, txid, vout LIMIT ?5`,
    )
    .bind(blockchain, after.address, after.txid, after.vout, limit)
    .all<Row<CreditedOutput>>()
  return results.map(toCredited)
}

/**
 * The statements that mark an output as not credited and as dropped, until it is seen in a block or in the mempool again.
 * They fail their batch unless it is credited and in no block.
 */
export function writeOffOutputStatements(
  db: D1Database,
  blockchain: Blockchain,
  { txid, vout }: Pick<Output, 'txid' | 'vout'>,
): D1PreparedStatement[] {
  const where = 'blockchain = ? AND txid = ? AND vout = ? AND credited = 1 AND block_height IS NULL'
  const point = [blockchain, txid, vout]
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM outputs WHERE ${where})`, ...point),
    db
      .prepare(
        `UPDATE outputs SET credited = 0, dropped = 1, in_mempool = 0, written_off = written_off + 1 WHERE ${where}`,
      )
      .bind(...point),
  ]
}

/** The stored block hashes of `txids`; `undefined` for a transaction in no block. Unknown txids are left out. */
export async function selectBlockHashes(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Pick<Output, 'txid' | 'blockHash'>[]> {
  const stored: Pick<Output, 'txid' | 'blockHash'>[] = []
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT DISTINCT txid, block_hash FROM outputs
         WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<{ txid: string; block_hash: string | null }>()
    for (const row of results) stored.push({ txid: row.txid, blockHash: row.block_hash ?? undefined })
  }
  return stored
}

/** The stored outputs of `txids`, which are only those that pay our addresses. */
export async function selectOutputsOf(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Output[]> {
  const found: Output[] = []
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT ${OUTPUT_COLUMNS} FROM outputs WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<Row<Output>>()
    found.push(...results.map(toOutput))
  }
  return found
}

/** Maximum number of outputs that are read per address, largest first, so that dust cannot hide a payment. */
const OUTPUTS_OF_ADDRESS = 200
/** Addresses per query, so that a result stays far below D1's limit of 2 MB. */
const ADDRESSES_PER_QUERY = 20

/** The outputs that pay any of `addresses`: per address the {@link OUTPUTS_OF_ADDRESS} largest. */
export async function selectOutputsByAddress(
  db: D1Database,
  blockchain: Blockchain,
  addresses: readonly string[],
): Promise<Output[]> {
  const outputs: Output[] = []
  for (const part of inParts(addresses, ADDRESSES_PER_QUERY)) {
    const { results } = await db
      .prepare(
        `SELECT ${OUTPUT_COLUMNS} FROM (
           SELECT *, ROW_NUMBER() OVER (PARTITION BY address ORDER BY length(amount) DESC, amount DESC) AS position
           FROM outputs WHERE blockchain = ? AND address IN (SELECT value FROM json_each(?)))
         WHERE position <= ${OUTPUTS_OF_ADDRESS}`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<Row<Output>>()
    outputs.push(...results.map(toOutput))
  }
  return outputs
}

/**
 * When an output can be credited. An output at or below `height` (coinbase outputs: `coinbaseHeight`) has enough
 * confirmations. `above` requires more for transactions that pay us `from` base units or more in total. `least` is the
 * minimum deposit in base units.
 */
export interface ConfirmationRule {
  height: number
  coinbaseHeight: number
  above: readonly { from: bigint; height: number }[]
  least: bigint
}

/**
 * At most `limit` outputs with enough confirmations that are not credited yet, with the owner and the kind of the address.
 * Excluded are outputs to the address of an open payment request. Also excluded are deposits that are marked as too
 * small: the pending deposits of the account were in total below the minimum, and that was not above `least` then.
 */
export async function selectCreditable(
  db: D1Database,
  blockchain: Blockchain,
  { height, coinbaseHeight, above, least, limit }: ConfirmationRule & { limit: number },
): Promise<CreditableOutput[]> {
  const steps = above.map(({ from, height }) => ({ from: Number(from), height }))
  const { results } = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind FROM outputs
       JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ?1 AND credited = 0 AND dropped = 0
         AND block_height <= IIF(coinbase = 1, ?2, ?3) AND (below IS NULL OR below > ?5)
         AND block_height <= IFNULL((SELECT MIN(value ->> 'height') FROM json_each(?6) WHERE value ->> 'from' <= (
           SELECT TOTAL(amount) FROM outputs AS same WHERE same.blockchain = ?1 AND same.txid = outputs.txid)), block_height)
         AND NOT EXISTS (SELECT 1 FROM payment_requests AS waiting WHERE waiting.blockchain = ?1
           AND waiting.address = outputs.address AND waiting.state IN ('open', 'seen'))
       LIMIT ?4`,
    )
    .bind(blockchain, coinbaseHeight, height, limit, Number(least), JSON.stringify(steps))
    .all<Row<CreditableOutput>>()
  return results.map(toCreditable)
}

/**
 * At most `limit` txids in no block, to look up at the node: unconfirmed, replaced, or disconnected by a reorganisation.
 * They are sorted, start at `start` and wrap around, so that a caller that changes `start` reaches every txid.
 */
export async function selectUnminedTxids(
  db: D1Database,
  blockchain: Blockchain,
  start: string,
  limit: number,
): Promise<string[]> {
  const found: string[] = []
  for (const condition of ['txid >= ?2', 'txid < ?2']) {
    if (found.length >= limit) break
    const { results } = await db
      .prepare(
        `SELECT DISTINCT txid FROM outputs
         WHERE blockchain = ?1 AND block_height IS NULL AND dropped = 0 AND ${condition} ORDER BY txid LIMIT ?3`,
      )
      .bind(blockchain, start, limit - found.length)
      .all<{ txid: string }>()
    found.push(...results.map(({ txid }) => txid))
  }
  return found
}

/** The statement that fails its batch if an output in a block or in the mempool pays the address. */
export function assertNoMoneyStatement(db: D1Database, blockchain: Blockchain, address: string): D1PreparedStatement {
  return assertionStatement(
    db,
    `NOT EXISTS (SELECT 1 FROM outputs WHERE blockchain = ? AND address = ?
       AND (in_mempool = 1 OR block_height IS NOT NULL))`,
    blockchain,
    address,
  )
}
