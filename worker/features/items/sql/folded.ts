import type { Blockchain } from '../../../../protocol/chains.ts'
import { unpackHeights } from './height-runs.ts'
import { readTxids } from './txids.ts'

/** A transaction that is folded: its place in the list of its item, and the height of its block. */
export interface FoldedRow {
  index: number
  txid: string
  blockHeight: number | null
}

/** The transactions of an item from index `from` up to, and without, `end`, if they are folded. */
export async function selectFolded(
  db: D1Database,
  itemId: string,
  from: number,
  end: number,
): Promise<FoldedRow[] | undefined> {
  const row = await db
    .prepare(
      `SELECT lower(hex(substr(packed, 32 * ?2 + 1, 32 * (?3 - ?2)))) AS txids, heights FROM item_txids
       WHERE item_id = ?1 AND packed IS NOT NULL`,
    )
    .bind(itemId, from, end)
    .first<{ txids: string; heights: string }>()
  if (!row) return undefined
  const heights = unpackHeights(row.heights, from, end)
  return readTxids(row.txids).map((txid, step) => ({ index: from + step, txid, blockHeight: heights[step] ?? null }))
}

/** Items whose folded txids are read at a time, some of them 1 MB. */
const FOLDS_PER_PAGE = 5

/** Calls `take` with the txids of each item of a chain that was folded at `above` or higher. */
export async function eachFolded(
  db: D1Database,
  blockchain: Blockchain,
  above: number,
  take: (txids: readonly string[]) => void,
): Promise<void> {
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
      take(readTxids(row.txids))
      after = row
    }
    if (results.length < FOLDS_PER_PAGE) return
  }
}
