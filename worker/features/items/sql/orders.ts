import type { StorageTarget } from '../../../../protocol/chains.ts'
import { hasChanged } from '../../../platform/d1/has-changed.ts'
import type { PageKey } from '../../../platform/d1/page-key.ts'
import { EMPTY_FOLDER } from './empty-folder.ts'

/** What a client stores together; `createdAt` in milliseconds. */
export interface Order {
  id: string
  name: string
  blockchain: StorageTarget
  createdAt: number
  /** How many files are in each state, by its number. */
  counts: Readonly<Record<string, number>>
}

/** Who makes an order, and with what: the first of it names it. */
export interface NewOrder {
  orderId: string | null
  name: string
  blockchain: StorageTarget
  createdAt: number
}

/** The statement that inserts the orders of new items or folders, unless they exist. */
export function insertOrdersStatement(
  db: D1Database,
  userId: string,
  made: readonly NewOrder[],
  { onlyFor }: { onlyFor?: string } = {},
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO orders (user_id, id, name, blockchain, created_at)
       SELECT ?1, value ->> 'orderId', value ->> 'name', value ->> 'blockchain', value ->> 'createdAt' FROM json_each(?2)
       WHERE value ->> 'orderId' IS NOT NULL AND (?3 IS NULL OR EXISTS (SELECT 1 FROM folders WHERE id = ?3))
       ON CONFLICT DO NOTHING`,
    )
    .bind(userId, JSON.stringify(made), onlyFor ?? null)
}

/** The storage target of each of these orders of a user that exist. */
export async function selectOrderTargets(
  db: D1Database,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, StorageTarget>> {
  const { results } = await db
    .prepare('SELECT id, blockchain FROM orders WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))')
    .bind(userId, JSON.stringify(ids))
    .all<{ id: string; blockchain: StorageTarget }>()
  return new Map(results.map(({ id, blockchain }) => [id, blockchain]))
}

const ORDERS = `SELECT id, name, blockchain, created_at AS createdAt, (
    SELECT json_group_object(status, n) FROM (
      SELECT IFNULL(d.status, i.status) AS status, COUNT(*) AS n
      FROM items i LEFT JOIN items d ON d.id = i.part_of
      WHERE i.user_id = orders.user_id AND i.order_id = orders.id AND i.removed_at IS NULL AND i.directory_of IS NULL
      GROUP BY 1)) AS counts
  FROM orders WHERE user_id = ?1`

type OrderRow = Omit<Order, 'counts'> & { counts: string }

/** The orders of a user, newest first, behind `after`. */
export async function selectOrders(
  db: D1Database,
  userId: string,
  after: PageKey | undefined,
  limit: number,
): Promise<Order[]> {
  const { results } = await db
    .prepare(`${ORDERS} AND (?2 IS NULL OR (created_at, id) < (?2, ?3)) ORDER BY created_at DESC, id DESC LIMIT ?4`)
    .bind(userId, after?.createdAt ?? null, after?.id ?? null, limit)
    .all<OrderRow>()
  return results.map(toOrder)
}

/** An order of this user. */
export async function selectOrder(db: D1Database, userId: string, id: string): Promise<Order | undefined> {
  const row = await db.prepare(`${ORDERS} AND id = ?2`).bind(userId, id).first<OrderRow>()
  return row ? toOrder(row) : undefined
}

function toOrder(row: OrderRow): Order {
  const counts: unknown = JSON.parse(row.counts)
  const entries = typeof counts === 'object' && counts !== null ? Object.entries(counts) : []
  return { ...row, counts: Object.fromEntries(entries.map(([status, n]) => [status, Number(n)])) }
}

/** Deletes the folders of an order that nothing is in, the innermost; false where there was none. */
export async function deleteEmptyFoldersOfOrder(db: D1Database, userId: string, id: string): Promise<boolean> {
  const statement = db.prepare(`DELETE FROM folders WHERE user_id = ? AND order_id = ? AND ${EMPTY_FOLDER}`)
  return hasChanged(await statement.bind(userId, id).run())
}

/** The statement that deletes orders of removed items in which nothing is left. */
export function deleteEmptyOrdersStatement(db: D1Database, itemIds: readonly string[]): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM orders WHERE (user_id, id) IN (
           SELECT user_id, order_id FROM items WHERE order_id IS NOT NULL
             AND (id IN (SELECT value FROM json_each(?1)) OR part_of IN (SELECT value FROM json_each(?1))))
         AND NOT EXISTS (
           SELECT 1 FROM items WHERE user_id = orders.user_id AND order_id = orders.id AND removed_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = orders.user_id AND order_id = orders.id)`,
    )
    .bind(JSON.stringify(itemIds))
}

/** Deletes an order that nothing is in any more. */
export async function deleteEmptyOrder(db: D1Database, userId: string, id: string): Promise<void> {
  await db
    .prepare(
      `DELETE FROM orders WHERE user_id = ?1 AND id = ?2
         AND NOT EXISTS (SELECT 1 FROM items WHERE user_id = ?1 AND order_id = ?2 AND removed_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = ?1 AND order_id = ?2)`,
    )
    .bind(userId, id)
    .run()
}
