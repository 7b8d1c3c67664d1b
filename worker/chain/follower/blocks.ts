import type { Blockchain } from '../../../protocol/chains.ts'
import { assertionStatement } from '../../platform/d1/guarded-batch.ts'
import { type Row, readBoolean, rowReader } from '../../platform/d1/row-reader.ts'

/** Number of recent blocks that are stored: a deeper reorganisation needs the operator. */
export const WINDOW = 300
/** Number of earlier blocks that are searched when a chain is followed for the first time: an address may be older than the agent. */
export const INITIAL_SCAN_BLOCKS = 144

/** A block of the best chain. */
export interface BlockPosition {
  height: number
  hash: string
}

/** The highest block that we followed to. */
export async function selectTip(db: D1Database, blockchain: Blockchain): Promise<BlockPosition | undefined> {
  const row = await db
    .prepare('SELECT height, hash FROM blocks WHERE blockchain = ? ORDER BY height DESC LIMIT 1')
    .bind(blockchain)
    .first<BlockPosition>()
  return row ?? undefined
}

/** The newest `limit` blocks we followed, highest first. */
export async function selectBlocks(db: D1Database, blockchain: Blockchain, limit: number): Promise<BlockPosition[]> {
  const { results } = await db
    .prepare('SELECT height, hash FROM blocks WHERE blockchain = ? ORDER BY height DESC LIMIT ?')
    .bind(blockchain, limit)
    .all<BlockPosition>()
  return results
}

/** Heights of those of `hashes` that are on the best chain as we followed it. */
export async function selectHeights(
  db: D1Database,
  blockchain: Blockchain,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const { results } = await db
    .prepare('SELECT height, hash FROM blocks WHERE blockchain = ? AND hash IN (SELECT value FROM json_each(?))')
    .bind(blockchain, JSON.stringify(hashes))
    .all<BlockPosition>()
  return new Map(results.map(({ hash, height }) => [hash, height]))
}

/** The statement that fails its batch unless `tip` is still the highest block (or, without one, there is none). */
export function assertTipStatement(
  db: D1Database,
  blockchain: Blockchain,
  tip: BlockPosition | undefined,
): D1PreparedStatement {
  if (!tip) return assertionStatement(db, 'NOT EXISTS (SELECT 1 FROM blocks WHERE blockchain = ?)', blockchain)
  return assertionStatement(
    db,
    `EXISTS (SELECT 1 FROM blocks WHERE blockchain = ? AND height = ? AND hash = ?)
     AND NOT EXISTS (SELECT 1 FROM blocks WHERE blockchain = ? AND height > ?)`,
    blockchain,
    tip.height,
    tip.hash,
    blockchain,
    tip.height,
  )
}

/** The statement that adds blocks above the tip. */
export function insertBlocksStatement(
  db: D1Database,
  blockchain: Blockchain,
  blocks: readonly BlockPosition[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO blocks (blockchain, height, hash)
       SELECT ?, value ->> 'height', value ->> 'hash' FROM json_each(?)`,
    )
    .bind(blockchain, JSON.stringify(blocks))
}

/** The statement that forgets blocks above `height` (they left the best chain). */
export function deleteBlocksAboveStatement(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): D1PreparedStatement {
  return db.prepare('DELETE FROM blocks WHERE blockchain = ? AND height > ?').bind(blockchain, height)
}

/**
 * The statement that forgets blocks below `height` (no reorganisation reaches them), but none that the wallet was not searched
 * for yet: after a long outage those are many.
 */
export function deleteBlocksBelowStatement(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM blocks WHERE blockchain = ?1
         AND height < MIN(?2, IFNULL((SELECT height FROM wallet_scans WHERE blockchain = ?1), ?2))`,
    )
    .bind(blockchain, height)
}

/** Up to which block the wallet was searched for payments, and how many transactions it had then. */
export interface WalletScan extends BlockPosition {
  txCount: number | undefined
  /** Until then (milliseconds), every growth of the wallet is treated as a rescan. */
  restoredUntil: number
  /** Which of our outermost addresses it had the keys of; `undefined` where that was not asked yet. */
  walletKeys: string | undefined
  /** How many of its transactions were in no block that it was searched to; `undefined` where nobody has counted them from there. */
  waiting: number | undefined
  /** When the whole wallet was last searched, milliseconds, and whether it is to be as soon as that was long enough ago. */
  searchedAt: number
  searchDue: boolean
  /** Whether what left it was looked for, too: what had before the first such search is nobody's to explain. */
  sendsKnown: boolean
}

const toScan = rowReader<WalletScan>({ searchDue: readBoolean, sendsKnown: readBoolean })

/** The last search of the wallet. */
export async function selectScanned(db: D1Database, blockchain: Blockchain): Promise<WalletScan | undefined> {
  const row = await db
    .prepare(
      `SELECT height, hash, tx_count, IFNULL(restored_until, 0) AS restored_until, wallet_keys, waiting,
         searched_at, search_due, sends_known
       FROM wallet_scans WHERE blockchain = ?`,
    )
    .bind(blockchain)
    .first<Row<WalletScan>>()
  return row ? toScan(row) : undefined
}

/** The statement that records up to which block the wallet was searched. */
export function upsertScannedStatement(
  db: D1Database,
  blockchain: Blockchain,
  block: BlockPosition,
  wallet: {
    txCount?: number
    restoredUntil?: number
    walletKeys?: string
    waiting?: number
    searchedAt?: number
    searchDue?: boolean
    sendsKnown?: boolean
  } = {},
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO wallet_scans (blockchain, hash, height, tx_count, restored_until, wallet_keys, waiting, searched_at,
         search_due, sends_known)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, IFNULL(?8, 0), IFNULL(?9, 0), ?10)
       ON CONFLICT (blockchain) DO UPDATE SET hash = ?2, height = ?3, tx_count = IFNULL(?4, tx_count),
         restored_until = IFNULL(?5, restored_until), wallet_keys = IFNULL(?6, wallet_keys),
         waiting = IFNULL(?7, waiting), searched_at = IFNULL(?8, searched_at), search_due = IFNULL(?9, search_due),
         sends_known = MAX(sends_known, ?10)`,
    )
    .bind(
      ...[blockchain, block.hash, block.height, wallet.txCount ?? null, wallet.restoredUntil ?? null],
      ...[wallet.walletKeys ?? null, wallet.waiting ?? null, wallet.searchedAt ?? null],
      wallet.searchDue === undefined ? null : Number(wallet.searchDue),
      Number(wallet.sendsKnown ?? false),
    )
}

/** The statement that sets the last searched block back to `block`, if the search has passed it. */
export function rewindScannedStatement(
  db: D1Database,
  blockchain: Blockchain,
  block: BlockPosition,
): D1PreparedStatement {
  return db
    .prepare('UPDATE wallet_scans SET hash = ?, height = ?, waiting = NULL WHERE blockchain = ? AND height > ?')
    .bind(block.hash, block.height, blockchain, block.height)
}

/** The statement that has the whole wallet searched next, and after that from `block` on, wherever the search was. */
export function restartScanStatement(
  db: D1Database,
  blockchain: Blockchain,
  block: BlockPosition,
): D1PreparedStatement {
  return db
    .prepare('UPDATE wallet_scans SET hash = ?, height = ?, tx_count = 0, waiting = NULL WHERE blockchain = ?')
    .bind(block.hash, block.height, blockchain)
}

/** The statement that forgets the search of the wallet, so that the next one covers all of its history. */
export function forgetScanStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return db.prepare('UPDATE wallet_scans SET tx_count = 0 WHERE blockchain = ?').bind(blockchain)
}

/** Up to which block the wallet of a chain was searched for what left it; `undefined` before it first was. */
export async function selectComparedHeight(db: D1Database, blockchain: Blockchain): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT height FROM wallet_scans WHERE blockchain = ? AND sends_known = 1')
    .bind(blockchain)
    .first<{ height: number }>()
  return row?.height
}
