import type { UsedSql } from '../../auth/sql/quotas.ts'

/** What a user has used of the quotas of items and folders; the bytes of a directory are those of its files. */
export const ITEMS_USED: UsedSql<'unpaidItems' | 'unpaidBytes' | 'merges' | 'folders'> = {
  unpaidItems: (user) =>
    `IFNULL((SELECT held.items + held.removed_items FROM holdings AS held WHERE held.user_id = ${user}), 0)`,
  unpaidBytes: (user) =>
    `IFNULL((SELECT held.bytes + held.removed_bytes FROM holdings AS held WHERE held.user_id = ${user}), 0)`,
  merges: (user) =>
    `(SELECT COUNT(*) FROM items AS held WHERE held.user_id = ${user} AND held.status = 201 AND held.merging_at IS NOT NULL)`,
  folders: (user) => `(SELECT COUNT(*) FROM folders AS held WHERE held.user_id = ${user} AND held.items = 0)`,
}
