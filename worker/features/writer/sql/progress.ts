import type { Blockchain } from '../../../../protocol/chains.ts'

/** Kinds of paid work that has to advance as blocks are mined. */
export type ProgressKind = 'item' | 'withdrawal' | 'tx_chain' | 'deposit'

/** Rows of one kind that are watched: the longest waiting. */
const MAX_WATCHED = 1_000

/**
 * What is watched of each kind, with a mark that changes when it gets further: of an item its written and confirmed
 * transactions, of a withdrawal its state and its transaction's, of a tx chain the first of its transactions that has no block. Of deposits those
 * that are deep enough and yet are not credited: `?2` is the height below which that is so; `CROSS JOIN` and `+` have those that
 * are not credited read, which are few, and not all of a height (sqlite.org/optoverview.html).
 */
const WATCHED: Record<ProgressKind, string> = {
  item: `SELECT item_id AS id, writes.state || ':' || next_index || ':' || items.written || ':' || items.confirmed AS mark
    FROM writes JOIN items ON items.id = IFNULL(index_of, item_id)
    WHERE writes.blockchain = ?1 AND writes.state IN ('queued', 'writing', 'paused', 'parked')
    ORDER BY writes.created_at LIMIT ${MAX_WATCHED}`,
  withdrawal: `SELECT id, state || ':' || IFNULL((
      SELECT txid || IFNULL(block_height, '') FROM transactions
      WHERE withdrawal_id = withdrawals.id AND state != 'dead' AND withdrawal_id IS NOT NULL), '') AS mark
    FROM withdrawals WHERE blockchain = ?1 AND state IN ('waiting', 'sent', 'failed')
    ORDER BY created_at LIMIT ${MAX_WATCHED}`,
  tx_chain: `SELECT CAST(tx_chain AS TEXT) AS id, CAST(MIN(seq) AS TEXT) AS mark FROM transactions INDEXED BY transactions_by_height
    WHERE blockchain = ?1 AND block_height IS NULL AND dead = 0 GROUP BY tx_chain ORDER BY tx_chain LIMIT ${MAX_WATCHED}`,
  deposit: `SELECT txid || ':' || vout AS id, '' AS mark FROM outputs CROSS JOIN addresses USING (blockchain, address)
    WHERE outputs.blockchain = ?1 AND credited = 0 AND dropped = 0 AND below IS NULL AND coinbase = 0 AND kind = 'deposit'
      AND +block_height <= ?2 LIMIT ${MAX_WATCHED}`,
}

/** Where a record of each kind is over. */
const ENDED: Record<ProgressKind, string> = {
  item: `NOT EXISTS (SELECT 1 FROM writes WHERE item_id = progress.id
    AND state IN ('queued', 'writing', 'paused', 'parked'))`,
  withdrawal: `NOT EXISTS (SELECT 1 FROM withdrawals WHERE id = progress.id AND state IN ('waiting', 'sent', 'failed'))`,
  tx_chain: `NOT EXISTS (SELECT 1 FROM transactions WHERE blockchain = progress.blockchain
    AND tx_chain = CAST(progress.id AS INTEGER) AND dead = 0 AND state IN ('signed', 'sent'))`,
  deposit: `NOT EXISTS (SELECT 1 FROM outputs WHERE blockchain = progress.blockchain AND txid = substr(progress.id, 1, 64)
    AND vout = CAST(substr(progress.id, 66) AS INTEGER) AND credited = 0 AND dropped = 0 AND below IS NULL AND block_height IS NOT NULL)`,
}

const KINDS = ['item', 'withdrawal', 'tx_chain', 'deposit'] as const

/** The statements that note at `height` what got further, and forget what ended; deposits at or below `deep` should be credited. */
export function noteProgressStatements(
  db: D1Database,
  blockchain: Blockchain,
  { height, deep }: { height: number; deep: number },
): D1PreparedStatement[] {
  return KINDS.flatMap((kind) => [
    db.prepare(`DELETE FROM progress WHERE blockchain = ? AND kind = '${kind}' AND ${ENDED[kind]}`).bind(blockchain),
    db
      .prepare(
        `INSERT INTO progress (blockchain, kind, id, mark, height)
         SELECT ?1, '${kind}', id, mark, ?3 FROM (${WATCHED[kind]}) WHERE ?2 IS NOT NULL
         ON CONFLICT (blockchain, kind, id) DO UPDATE SET mark = excluded.mark, height = excluded.height
         WHERE mark != excluded.mark OR height > excluded.height`,
      )
      .bind(blockchain, deep, height),
  ])
}

/** How many records of a kind made no progress, and one of them, with what it waits for if that is known. */
export interface NotMoved {
  kind: ProgressKind
  count: number
  id: string
  reason: string | null
}

/** What did not get further since `height`, by kind. */
export async function selectNotMoved(db: D1Database, blockchain: Blockchain, height: number): Promise<NotMoved[]> {
  const { results } = await db
    .prepare(
      `SELECT late.*, IFNULL((
         SELECT reason FROM failed_records WHERE blockchain = ?1 AND kind IN ('item', 'refused', 'withdrawal') AND id = late.id
         ORDER BY kind LIMIT 1), (SELECT reason FROM withdrawals WHERE id = late.id)) AS reason
       FROM (SELECT kind, COUNT(*) AS count, MIN(id) AS id FROM progress
         WHERE blockchain = ?1 AND height <= ?2 GROUP BY kind) AS late ORDER BY kind`,
    )
    .bind(blockchain, height)
    .all<NotMoved>()
  return results
}
