/** Indexes of an item's payloads, from `from` on, that have a live transaction. */
export async function selectIndexes(db: D1Database, itemId: string, from: number): Promise<Set<number>> {
  const { results } = await db
    .prepare(`SELECT item_index AS n FROM transactions WHERE item_id = ? AND state != 'dead' AND item_index >= ?`)
    .bind(itemId, from)
    .all<{ n: number }>()
  return new Set(results.map(({ n }) => n))
}

/** The txids of an item's live transactions in the order of its payloads. */
export async function selectItemTxids(db: D1Database, itemId: string): Promise<string[]> {
  const { results } = await db
    .prepare(`SELECT txid FROM transactions WHERE item_id = ? AND state != 'dead' ORDER BY item_index`)
    .bind(itemId)
    .all<{ txid: string }>()
  return results.map(({ txid }) => txid)
}

/** The statement that shows how far items are: taken by the node, and at `depth` or deeper on the chain. */
export function updateProgress(
  db: D1Database,
  itemIds: readonly string[],
  tipHeight: number,
  depth: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE items SET written = (
         SELECT COUNT(*) FROM transactions WHERE item_id = items.id AND state IN ('sent', 'mined')),
       confirmed = (
         SELECT COUNT(*) FROM transactions WHERE item_id = items.id AND state = 'mined' AND block_height <= ?)
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .bind(tipHeight - depth + 1, JSON.stringify(itemIds))
}
