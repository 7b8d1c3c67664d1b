import { inState } from '../../items/sql/item-state.ts'

/** A paid request, with how many of its items are stored. */
export interface PaidOrder {
  id: string
  /** Of one of its items. */
  name: string
  items: number
  stored: number
}

/** The paid request that each of these items is of, by the id of the item. */
export async function selectPaidOrders(db: D1Database, itemIds: readonly string[]): Promise<Map<string, PaidOrder>> {
  const { results } = await db
    .prepare(
      `SELECT asked.value AS item, paid.id, COUNT(*) AS items, TOTAL(${inState('stored')}) AS stored, MIN(items.name) AS name
       FROM json_each(?) AS asked
       CROSS JOIN payment_request_items AS own ON own.item_id = asked.value
       CROSS JOIN payment_requests AS paid ON paid.id = own.request_id AND paid.state = 'settled'
       CROSS JOIN payment_request_items AS part ON part.request_id = paid.id
       CROSS JOIN items ON items.id = part.item_id
       GROUP BY asked.value, paid.id`,
    )
    .bind(JSON.stringify(itemIds))
    .all<PaidOrder & { item: string }>()
  return new Map(results.map(({ item, ...order }) => [item, order]))
}
