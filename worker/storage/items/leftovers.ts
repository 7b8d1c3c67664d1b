import type { RemovedItem } from './removed-items.ts'

/** Stored items that nothing happened to since `before`, with objects in the bucket that served their writing. */
export async function listLeftovers(db: D1Database, before: number, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks FROM items
       WHERE status = 200 AND leftovers = 1 AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<RemovedItem>()
  return results
}

/** Notes that nothing but what is served is left of a stored item. */
export async function clearLeftovers(db: D1Database, id: string): Promise<void> {
  await db.prepare('UPDATE items SET leftovers = 0 WHERE id = ?').bind(id).run()
}
