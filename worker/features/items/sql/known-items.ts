import type { WantedContent } from '../../../../contract/item.ts'
import { inState, STATUS } from './item-state.ts'
import type { Item } from './items.ts'
import { readTxids, TXIDS } from './txids.ts'

/** Items of one content that are checked, the newest: an account may have stored it any number of times. */
const LOOKED_AT = 50

/** An item of a content that was requested; `index` is its place in the list of the request. */
export interface KnownItem extends Pick<Item, 'id' | 'cid'> {
  index: number
  status: number
  /** Data transactions; 0 for IPFS. */
  transactions: number
}

/** What one is searched by: a file, or the manifest of a folder. */
export type WantedItem = Omit<NonNullable<WantedContent['files']>[number], 'path'> | { manifest: string }

/**
 * Of each content an item of this user: what is stored or being written before what waits for payment, then the newest.
 * A file of a directory on IPFS counts once it is stored: until then its directory is what is paid. On a chain it has no
 * transactions of its own.
 */
export async function selectKnownItems(
  db: D1Database,
  userId: string,
  blockchain: Item['blockchain'],
  wanted: readonly WantedItem[],
): Promise<KnownItem[]> {
  const { results } = await db
    .prepare(
      `SELECT wanted.key AS "index", items.id, items.cid, items.status, items.transactions
       FROM json_each(?3) AS wanted CROSS JOIN items ON items.id = (
         SELECT id FROM (
           SELECT * FROM items INDEXED BY items_by_hash
           WHERE user_id = ?1 AND sha256 = IFNULL(wanted.value ->> 'manifest', wanted.value ->> 'sha256')
             AND removed_at IS NULL
           ORDER BY created_at DESC, id DESC LIMIT ${LOOKED_AT}) AS held
         WHERE blockchain = ?2 AND upload_kind IS NULL
           AND IIF(wanted.value ->> 'manifest' IS NULL,
             directory_of IS NULL AND size = wanted.value ->> 'size' AND mimetype = wanted.value ->> 'mimetype',
             directory_of IS NOT NULL)
           AND ${inState(['stored', 'writing', 'unpaid'], 'held')} AND (part_of IS NULL OR (blockchain = 'IPFS' AND ${inState('stored', 'held')}))
         ORDER BY status = ${STATUS.unpaid}, created_at DESC, id DESC LIMIT 1)`,
    )
    .bind(userId, blockchain, JSON.stringify(wanted))
    .all<KnownItem>()
  return results
}

/** The published txids of these items. */
export async function selectTxids(db: D1Database, itemIds: readonly string[]): Promise<Map<string, string[]>> {
  const { results } = await db
    .prepare(
      `SELECT t.item_id AS id, ${TXIDS} AS txids FROM item_txids t WHERE t.item_id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(itemIds))
    .all<{ id: string; txids: string }>()
  return new Map(results.map(({ id, txids }) => [id, readTxids(txids)]))
}
