import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { type Row, readBoolean, rowReader } from '../../../platform/d1/row-reader.ts'

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
  /** How often it was credited and written off again, because it was spent otherwise. */
  writtenOff: number
  /** The transaction in whose place its own came, when that was seen, and how much of this output counts as seen then. */
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

/** With the user that it is for, and the kind of its address. */
export type CreditableOutput = Output & { userId: string; kind: 'request' | 'deposit' }
export const toCreditable = rowReader<CreditableOutput>(OUTPUT)

/** What a replacement has of the output in whose place it came. */
type Early = Pick<Output, 'replaces' | 'earlyAt' | 'earlyAmount'>

/** The statements that record outputs: a known one gets the place that the chain gives it now. */
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
  // The block must still be followed, a rollback may have come between reading and writing; or be older than all that is.
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

/** The statement that writes down which transactions without a block are in the node's mempool, where that changed. */
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

/** How long what is neither in a block nor in the mempool is asked about: as long as a mempool keeps anything. */
const GONE_FOR = 14 * 86_400_000

/**
 * The statement that gives up outputs of `txids` that were never credited: those that a block has spent otherwise
 * (`conflicted`), and those that were gone for weeks. A block that has one after all brings it back.
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
    .bind(blockchain, JSON.stringify(txids), now - GONE_FOR, JSON.stringify(conflicted))
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

/** An output that is credited, with the user that it was credited to. */
export async function selectCredited(
  db: D1Database,
  blockchain: Blockchain,
  { txid, vout }: Pick<Output, 'txid' | 'vout'>,
): Promise<CreditableOutput | undefined> {
  const row = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind FROM outputs
       JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ? AND txid = ? AND vout = ? AND credited = 1`,
    )
    .bind(blockchain, txid, vout)
    .first<Row<CreditableOutput>>()
  return row ? toCreditable(row) : undefined
}

/**
 * Credited outputs of a chain that are in no block now, at most `limit`, with whose they are; `goneAt` since when the mempool has not
 * had them either, milliseconds.
 */
export async function selectOffChain(
  db: D1Database,
  blockchain: Blockchain,
  limit: number,
): Promise<(CreditableOutput & { goneAt: number | undefined })[]> {
  const { results } = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind, gone_at
       FROM outputs INDEXED BY outputs_suspended
       CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ? AND credited = 1 AND block_height IS NULL LIMIT ?`,
    )
    .bind(blockchain, limit)
    .all<Row<CreditableOutput & { goneAt: number | undefined }>>()
  return results.map(rowReader<CreditableOutput & { goneAt: number | undefined }>(OUTPUT))
}

/**
 * The statements after which an output is not credited any more, until a block or the mempool has it again. They fail their
 * batch unless it is credited and in no block.
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

/** The places that are known of outputs of any of `txids`. */
export async function selectPlaces(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Pick<Output, 'txid' | 'blockHash'>[]> {
  const places: Pick<Output, 'txid' | 'blockHash'>[] = []
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT DISTINCT txid, block_hash FROM outputs
         WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<{ txid: string; block_hash: string | null }>()
    for (const row of results) places.push({ txid: row.txid, blockHash: row.block_hash ?? undefined })
  }
  return places
}

/** What is known of outputs of these transactions, those that pay our addresses. */
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

/** Outputs of one address that are read, the largest: what decides about a request, however much dust comes with it. */
const OUTPUTS_OF_ADDRESS = 200
/** Addresses asked for at a time, so that what is read stays far below D1's 2 MB a result. */
const ADDRESSES_AT_A_TIME = 20

/** The outputs that pay any of `addresses`, of each the {@link OUTPUTS_OF_ADDRESS} largest. */
export async function selectOutputsByAddress(
  db: D1Database,
  blockchain: Blockchain,
  addresses: readonly string[],
): Promise<Output[]> {
  const outputs: Output[] = []
  for (const part of inParts(addresses, ADDRESSES_AT_A_TIME)) {
    const { results } = await db
      .prepare(
        `SELECT ${OUTPUT_COLUMNS} FROM (
           SELECT *, ROW_NUMBER() OVER (PARTITION BY address ORDER BY length(amount) DESC, amount DESC) AS place
           FROM outputs WHERE blockchain = ? AND address IN (SELECT value FROM json_each(?)))
         WHERE place <= ${OUTPUTS_OF_ADDRESS}`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<Row<Output>>()
    outputs.push(...results.map(toOutput))
  }
  return outputs
}

/**
 * The heights at and below which outputs are deep enough, those of transactions that pay `from` base units or more in all, and the
 * least deposit that is credited.
 */
export interface ConfirmationRule {
  height: number
  coinbaseHeight: number
  above: readonly { from: bigint; height: number }[]
  least: bigint
}

/**
 * Outputs deep enough to be credited that no ledger entry stands for, with the user each is for and the kind of its address, at most `limit`; none
 * that pays a request that waits, and none that was found to be below `least` with all that waits of its account. Deep
 * enough is at or below `height`, for coinbases `coinbaseHeight`.
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
 * Transactions to look for: they are in no block, waiting, replaced, or thrown out by a reorganisation. At most
 * `limit`, from `start` on and then from the beginning, so that none is always left out.
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
