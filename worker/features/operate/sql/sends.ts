import type { SendKind } from '../../../../contract/states.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { readTxids } from '../../items/sql/txids.ts'

/** What left a wallet by a transaction that the database did not know; base units, `seenAt` in milliseconds. */
export interface Send {
  blockchain: Blockchain
  txid: string
  amount: bigint
  seenAt: number
  assigned: SendKind | undefined
}

/** Up to which block a wallet was searched for what left it, and when. */
export interface SendScan extends BlockPosition {
  comparedAt: number
}

const toSend = rowReader<Send>({ amount: BigInt })
const COLUMNS = 'blockchain, txid, amount, seen_at, assigned'

/** Sends that nobody has assigned, of one chain or of all, the oldest first. */
export async function selectUnassigned(db: D1Database, limit: number, blockchain?: Blockchain): Promise<Send[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM sends WHERE assigned IS NULL AND (?1 IS NULL OR blockchain = ?1) ORDER BY seen_at LIMIT ?2`,
    )
    .bind(blockchain ?? null, limit)
    .all<Row<Send>>()
  return results.map(toSend)
}

/** The send of a transaction. */
export async function selectSend(db: D1Database, txid: string): Promise<Send | undefined> {
  const row = await db
    // The key begins with the chain.
    .prepare(`SELECT ${COLUMNS} FROM sends WHERE blockchain IN (SELECT value FROM json_each(?)) AND txid = ?`)
    .bind(JSON.stringify(BLOCKCHAINS), txid)
    .first<Row<Send>>()
  return row ? toSend(row) : undefined
}

/** What left the wallet of a chain and is not assigned, in base units. */
export async function sumUnassigned(db: D1Database, blockchain: Blockchain): Promise<bigint> {
  const statement = db
    .prepare(
      // As text: D1 returns a number as a double.
      `SELECT CAST(IFNULL(SUM(CAST(amount AS INTEGER)), 0) AS TEXT) AS sum FROM sends
       WHERE blockchain = ? AND assigned IS NULL`,
    )
    .bind(blockchain)
  return BigInt((await firstRow<{ sum: string }>(statement)).sum)
}

/**
 * Those of the transactions that the database has neither signed nor listed among sends.
 * Folded transactions are looked up only in blocks above `above`, from which on the wallet was queried. Below there are
 * none, unless a chain was accepted that forks from ours below these blocks.
 */
export async function selectUnknown(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  above: number,
): Promise<Set<string>> {
  const unknown = new Set<string>()
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT value AS txid FROM json_each(?2) WHERE NOT EXISTS (
           SELECT 1 FROM transactions WHERE blockchain = ?1 AND txid = value)
         AND NOT EXISTS (SELECT 1 FROM sends WHERE blockchain = ?1 AND txid = value)`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<{ txid: string }>()
    for (const { txid } of results) unknown.add(txid)
  }
  if (unknown.size > 0) await deleteFolded(db, blockchain, unknown, above)
  return unknown
}

/** Items whose folded txids are read at a time, some of them 1 MB. */
const FOLDS_PER_PAGE = 5

async function deleteFolded(db: D1Database, blockchain: Blockchain, txids: Set<string>, above: number): Promise<void> {
  for (let after = { height: above, id: '\uffff' }; ; ) {
    const { results } = await db
      .prepare(
        `SELECT writes.item_id AS id, folded_height AS height, IFNULL(index_txid, lower(hex(packed))) AS txids
         FROM writes LEFT JOIN item_txids ON item_txids.item_id = writes.item_id
         WHERE blockchain = ?1 AND folded_height >= ?2 AND (folded_height, writes.item_id) > (?2, ?3)
         ORDER BY folded_height, writes.item_id LIMIT ${FOLDS_PER_PAGE}`,
      )
      .bind(blockchain, after.height, after.id)
      .all<{ id: string; height: number; txids: string }>()
    for (const row of results) {
      for (const txid of readTxids(row.txids)) txids.delete(txid)
      after = row
    }
    if (results.length < FOLDS_PER_PAGE) return
  }
}

/** The last search of a wallet for what left it. */
export async function selectSendScan(db: D1Database, blockchain: Blockchain): Promise<SendScan | undefined> {
  const row = await db
    .prepare('SELECT hash, height, compared_at AS comparedAt FROM send_scans WHERE blockchain = ?')
    .bind(blockchain)
    .first<SendScan>()
  return row ?? undefined
}

/** The statement that notes up to which block a wallet was searched. */
export function upsertSendScanStatement(
  db: D1Database,
  blockchain: Blockchain,
  block: BlockPosition,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO send_scans (blockchain, hash, height, compared_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (blockchain) DO UPDATE SET hash = ?2, height = ?3, compared_at = ?4`,
    )
    .bind(blockchain, block.hash, block.height, now)
}

/** The statement after which a wallet is searched from `block` on, where it was searched further. */
export function rewindSendScanStatement(
  db: D1Database,
  blockchain: Blockchain,
  block: BlockPosition,
): D1PreparedStatement {
  return db
    .prepare('UPDATE send_scans SET hash = ?, height = ? WHERE blockchain = ? AND height > ?')
    .bind(block.hash, block.height, blockchain, block.height)
}

/** The statements that assign a send; they fail their batch where it is assigned already. `loss` in base units. */
export function assignSendStatements(
  db: D1Database,
  { blockchain, txid }: Pick<Send, 'blockchain' | 'txid'>,
  { as, loss }: { as: SendKind; loss: bigint },
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM sends WHERE blockchain = ? AND txid = ? AND assigned IS NULL)',
      ...[blockchain, txid],
    ),
    db
      .prepare('UPDATE sends SET assigned = ?, loss = ? WHERE blockchain = ? AND txid = ?')
      .bind(as, loss.toString(), blockchain, txid),
  ]
}
