/** A contradiction between rows of several moments, and the statements that end it. */
export interface Repair {
  what: string
  sql: readonly string[]
}

const LIVE = 'SELECT 1 FROM transactions t WHERE t.item_id = writes.item_id AND t.dead = 0'
const QUEUED = `CASE WHEN EXISTS (${LIVE} AND t.state IN ('sent', 'mined')) THEN 'writing' ELSE 'queued' END`
const IS_DEBITED = `EXISTS (SELECT 1 FROM ledger l, payment_requests r
  WHERE r.id = writes.request_id AND l.blockchain = r.blockchain AND l.cause = 'request:' || r.id)`

/** How far items were written, by what is left of it. */
export const WRITES: readonly Repair[] = [
  {
    what: 'writes that were paid since are not begun',
    sql: [
      `DELETE FROM writes WHERE NOT ${IS_DEBITED}`,
      `DELETE FROM writes WHERE NOT EXISTS (SELECT 1 FROM items WHERE items.id = IFNULL(index_of, item_id))`,
    ],
  },
  {
    what: 'items that were folded meanwhile are folded, or not, in all tables',
    sql: [
      `DELETE FROM transactions WHERE item_id IN (SELECT item_id FROM writes WHERE folded_height IS NOT NULL)`,
      `UPDATE item_txids SET txids = lower(hex(packed)), packed = NULL, heights = NULL, vsize = NULL, fee = NULL
       WHERE packed IS NOT NULL AND item_id IN (SELECT item_id FROM writes WHERE folded_height IS NULL)`,
    ],
  },
  {
    what: 'items that were stored since are being written',
    sql: [
      `UPDATE writes SET state = ${QUEUED}, fold_from = NULL
       WHERE state IN ('published', 'done') AND index_of IS NULL AND target <> 'IPFS'
         AND NOT EXISTS (SELECT 1 FROM item_txids i WHERE i.item_id = writes.item_id)`,
      `UPDATE writes SET state = 'queued', index_txid = NULL, fold_from = NULL
       WHERE index_of IS NOT NULL AND state = 'done' AND index_txid IS NOT NULL AND folded_height IS NULL AND NOT EXISTS (${LIVE})`,
      `UPDATE writes SET state = 'done' WHERE target = 'IPFS' AND state IN ('queued', 'writing')
         AND EXISTS (SELECT 1 FROM items WHERE items.id = item_id AND items.status = 200)`,
      `UPDATE writes SET state = 'writing' WHERE state = 'queued' AND EXISTS (${LIVE} AND t.state IN ('sent', 'mined'))`,
      `UPDATE items SET status = 202, message = NULL WHERE status = 200 AND id IN (
         SELECT item_id FROM writes WHERE index_of IS NULL AND target <> 'IPFS' AND state IN ('queued', 'writing'))`,
      `UPDATE items SET index_txid = NULL WHERE index_txid IS NOT NULL AND id IN (
         SELECT index_of FROM writes WHERE index_of IS NOT NULL AND state <> 'done')`,
    ],
  },
  {
    what: 'transactions that are not in the copy are made anew',
    sql: [
      `UPDATE writes SET next_index = first FROM (
         SELECT w.item_id AS id, COUNT(t.place) AS first FROM writes w LEFT JOIN (
           SELECT item_id, item_index AS place, ROW_NUMBER() OVER (PARTITION BY item_id ORDER BY item_index) - 1 AS n
           FROM transactions WHERE dead = 0 AND item_id IS NOT NULL) t ON t.item_id = w.item_id AND t.place = t.n
         WHERE w.state IN ('queued', 'writing', 'paused', 'parked') GROUP BY w.item_id)
       WHERE item_id = id AND next_index <> first`,
      `DELETE FROM transaction_inputs WHERE NOT EXISTS (SELECT 1 FROM transactions t
         WHERE t.blockchain = transaction_inputs.blockchain AND t.txid = transaction_inputs.txid AND t.dead = 0)`,
    ],
  },
  {
    what: 'items that were paid since wait to be paid',
    sql: [
      `UPDATE items SET status = 402, message = NULL WHERE status IN (200, 202, 409) AND part_of IS NULL
         AND NOT EXISTS (SELECT 1 FROM writes w WHERE w.item_id = items.id)`,
      `UPDATE items SET status = d.status, message = d.message FROM items d WHERE d.id = items.part_of AND d.status <> items.status`,
    ],
  },
]

/** Sums that triggers keep, and what is open once. */
export const SUMS: readonly Repair[] = [
  {
    what: 'files are counted again in their folders, directories and accounts',
    sql: [
      `UPDATE folders SET items = n FROM (
         WITH RECURSIVE up (folder, item) AS (
           SELECT folder_id, id FROM items WHERE folder_id IS NOT NULL AND directory_of IS NULL AND removed_at IS NULL
           UNION ALL SELECT f.parent_id, item FROM folders f JOIN up ON f.id = up.folder WHERE f.parent_id IS NOT NULL)
         SELECT f.id AS id, COUNT(up.item) AS n FROM folders f LEFT JOIN up ON up.folder = f.id GROUP BY f.id) counted
       WHERE folders.id = counted.id AND items <> n`,
      `UPDATE items SET files = n FROM (SELECT part_of AS id, COUNT(*) AS n FROM items WHERE part_of IS NOT NULL GROUP BY part_of) parts
       WHERE items.id = parts.id AND files <> n`,
      'DELETE FROM holdings',
      `INSERT INTO holdings (user_id, items, bytes, removed_items, removed_bytes)
       WITH held AS (SELECT user_id, removed_at IS NULL AS live, IIF(directory_of IS NULL, size, 0) AS size
         FROM items WHERE status IN (201, 402))
       SELECT user_id, SUM(live), SUM(live * size), SUM(1 - live), SUM((1 - live) * size) FROM held GROUP BY user_id
       UNION ALL SELECT '', IFNULL(SUM(live), 0), IFNULL(SUM(live * size), 0), IFNULL(SUM(1 - live), 0),
         IFNULL(SUM((1 - live) * size), 0) FROM held`,
      `DELETE FROM orders WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.user_id = orders.user_id AND i.order_id = orders.id)
         AND NOT EXISTS (SELECT 1 FROM folders f WHERE f.user_id = orders.user_id AND f.order_id = orders.id)`,
    ],
  },
  {
    what: 'sites show a version that is there, and reports are counted',
    sql: [
      `UPDATE site_periods SET until_at = (SELECT MIN(next.from_at) FROM site_periods next
           WHERE next.site_id = site_periods.site_id AND next.switch > site_periods.switch)
       WHERE until_at IS NULL AND EXISTS (SELECT 1 FROM site_periods next
         WHERE next.site_id = site_periods.site_id AND next.switch > site_periods.switch)`,
      `UPDATE sites SET versions = n FROM (
         SELECT s.id AS id, IFNULL(MAX(v.number), 0) AS n FROM sites s LEFT JOIN site_versions v ON v.site_id = s.id GROUP BY s.id) counted
       WHERE sites.id = counted.id AND versions <> n`,
      `UPDATE sites SET current = (SELECT MAX(number) FROM site_versions v WHERE v.site_id = sites.id)
       WHERE current IS NOT NULL AND NOT EXISTS (SELECT 1 FROM site_versions v WHERE v.site_id = sites.id AND v.number = current)`,
      `UPDATE open_reports SET count = (SELECT COUNT(*) FROM reports WHERE status = 'open')`,
      `DELETE FROM report_networks WHERE report IN (SELECT id FROM reports WHERE status <> 'open')`,
    ],
  },
  {
    what: 'leases and streams of the time of the copy are over',
    sql: ['DELETE FROM upload_leases', 'DELETE FROM event_streams'],
  },
]
