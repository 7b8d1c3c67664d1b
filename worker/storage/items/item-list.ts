import { type ItemRow, type ItemStatus, type PublishedItem, toItem } from './items.ts'

/** Where a list goes on: behind the item with these values. */
export interface ItemCursor {
  createdAt: number
  id: string
}

/**
 * Items newest first: of one user, or everyone's with `userId` undefined. Files of a merged folder are left out:
 * the directory item stands for them. Txids come with items of at most 100 transactions, so that a page stays small.
 */
export async function listItems(
  db: D1Database,
  query: { userId: string | undefined; status: ItemStatus | undefined; after: ItemCursor | undefined; limit: number },
): Promise<PublishedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT i.*, t.txids, i.status AS effective_status, i.message AS effective_message
       FROM items i LEFT JOIN item_txids t ON t.item_id = i.id AND i.transactions <= 100
       WHERE i.removed_at IS NULL AND i.part_of IS NULL
         AND (?1 IS NULL OR i.user_id = ?1)
         AND (?2 IS NULL OR i.status = ?2)
         AND (?3 IS NULL OR (i.created_at, i.id) < (?3, ?4))
       ORDER BY i.created_at DESC, i.id DESC LIMIT ?5`,
    )
    .bind(
      query.userId ?? null,
      query.status ?? null,
      query.after?.createdAt ?? null,
      query.after?.id ?? null,
      query.limit,
    )
    .all<ItemRow>()
  return results.map(toItem)
}
