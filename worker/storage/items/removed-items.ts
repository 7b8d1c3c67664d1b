import { assertion } from '../guarded-batch.ts'
import type { Item } from './items.ts'

/** The statement that fails its batch unless the item is unpaid and no request waits to be paid for it. */
export function assertRemovable(db: D1Database, id: string): D1PreparedStatement {
  return assertion(
    db,
    `EXISTS (SELECT 1 FROM items WHERE id = ?1 AND status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM payment_request_items WHERE item_id = ?1 AND waiting = 1)`,
    id,
  )
}

/**
 * The statements that hide an unpaid item for good: with a directory item go its files and the folder it came of.
 * The first one's `meta.changes` is 0 when the item is paid, waited for by a request, part of a directory, or gone; then
 * none changes anything.
 * What is hidden is deleted by the sweep.
 */
export function removeItem(db: D1Database, id: string, now: number): D1PreparedStatement[] {
  return [
    `UPDATE items SET removed_at = ?2 WHERE id = ?1 AND status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM payment_request_items WHERE item_id = ?1 AND waiting = 1)`,
    `UPDATE items SET removed_at = ?2 WHERE part_of = ?1 AND removed_at IS NULL
       AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?1 AND d.removed_at = ?2)`,
    `WITH RECURSIVE tree (id) AS (
       SELECT directory_of FROM items WHERE id = ?1 AND removed_at = ?2 AND directory_of IS NOT NULL
       UNION ALL SELECT f.id FROM folders f JOIN tree ON f.parent_id = tree.id)
     DELETE FROM folders WHERE id IN (SELECT id FROM tree)`,
  ].map((sql) => db.prepare(sql).bind(id, now))
}

/** Ids of uploads and unpaid items that nobody touched since `before`, and that no request waits to be paid for. */
export async function listAbandonedItems(db: D1Database, before: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM items WHERE status IN (201, 402) AND updated_at < ? AND part_of IS NULL
         AND merging_at IS NULL AND removed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM payment_request_items p WHERE p.item_id = items.id AND p.waiting = 1)
       ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>()
  return results.map((row) => row.id)
}

/** What has to be known of a removed item to delete what it left behind. */
export type RemovedItem = Pick<Item, 'id' | 'blockchain' | 'chunks'>

/** Removed items whose objects may still be there. */
export async function listRemovedItems(db: D1Database, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks FROM items
       WHERE removed_at IS NOT NULL ORDER BY removed_at LIMIT ?`,
    )
    .bind(limit)
    .all<RemovedItem>()
  return results
}

/** Forgets a removed item, once nothing of it is left in the bucket and none of its files is left here. */
export async function deleteRemovedItem(db: D1Database, id: string): Promise<void> {
  await db
    .prepare(
      `DELETE FROM items WHERE id = ?1 AND removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM items f WHERE f.part_of = ?1)`,
    )
    .bind(id)
    .run()
}
