import { inState } from './item-state.ts'
import type { Item } from './items.ts'

/** Ids of uploads and unpaid items that nobody touched since `before`, and that no request waits to be paid for. */
export async function selectAbandonedItems(db: D1Database, before: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM items WHERE ${inState(['uploading', 'unpaid'])} AND updated_at < ? AND part_of IS NULL AND removed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM payment_request_items p WHERE p.item_id = items.id AND p.waiting = 1)
       ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>()
  return results.map((row) => row.id)
}

/** What has to be known of a removed item to delete what it left behind. */
export type RemovedItem = Pick<Item, 'id' | 'blockchain' | 'chunks' | 'directoryOf'>

/** Removed items whose objects may still be there: those that were taken down were stored, and their blocks may be in others. */
export async function selectRemovedItems(db: D1Database, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks, directory_of AS directoryOf FROM items
       WHERE removed_at IS NOT NULL AND status <> 200 ORDER BY removed_at LIMIT ?`,
    )
    .bind(limit)
    .all<RemovedItem>()
  return results
}

/** Deletes the rows of removed items that have no objects in the bucket, except those whose files have rows. */
export async function deleteRemovedItems(db: D1Database, ids: readonly string[]): Promise<void> {
  await db
    .prepare(
      `DELETE FROM items WHERE id IN (SELECT value FROM json_each(?)) AND removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM items f WHERE f.part_of = items.id)`,
    )
    .bind(JSON.stringify(ids))
    .run()
}

/**
 * Stored items that nothing happened to since `before`, with objects in the bucket that served their writing. Left to
 * itself, SQLite takes the index of states, and reads a million rows each minute where a million items are stored.
 */
export async function selectLeftovers(db: D1Database, before: number, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks, directory_of AS directoryOf FROM items INDEXED BY items_leftover
       WHERE ${inState('stored')} AND leftovers = 1 AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<RemovedItem>()
  return results
}

/** Notes that nothing but what is served is left of a stored item. */
export async function updateTidied(db: D1Database, id: string): Promise<void> {
  await db.prepare('UPDATE items SET leftovers = 0 WHERE id = ?').bind(id).run()
}

/** Ids of merges begun before `before` and not finished: their merger may have died before it began. */
export async function selectMerging(db: D1Database, before: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM items INDEXED BY items_merging WHERE merging_at < ? AND ${inState('merging')} AND removed_at IS NULL
       ORDER BY merging_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>()
  return results.map((row) => row.id)
}
