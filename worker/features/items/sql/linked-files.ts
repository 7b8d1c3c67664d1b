import type { Config } from '../../../platform/config/config.ts'
import { inState, STATUS } from './item-state.ts'
import type { Item } from './items.ts'
import { ITEMS_USED } from './used.ts'

/** A stored IPFS file of a user, by what it contains; `sha256` in lowercase hex. */
export interface KnownContent extends Pick<Item, 'id' | 'mimetype' | 'size'> {
  sha256: string
}

/** Stored IPFS files of this user, and nobody else's, that have one of these hashes. */
export async function selectKnownContent(
  db: D1Database,
  userId: string,
  hashes: readonly string[],
): Promise<KnownContent[]> {
  const { results } = await db
    .prepare(
      `SELECT id, mimetype, size, sha256 FROM items
       WHERE user_id = ?1 AND sha256 IN (SELECT value FROM json_each(?2)) AND ${inState('stored')}
         AND blockchain = 'IPFS' AND cid IS NOT NULL AND directory_of IS NULL AND removed_at IS NULL`,
    )
    .bind(userId, JSON.stringify(hashes))
    .all<KnownContent>()
  return results
}

/** A file about to be linked into a folder. */
export interface NewLink extends KnownContent {
  folderId: string
  name: string
  linkedFrom: string
}

/**
 * Writes links into folders, but not where something of that name exists already; none of them when the user would then
 * have more than these quotas allow.
 */
export async function insertLinks(
  db: D1Database,
  userId: string,
  links: readonly NewLink[],
  quotas: Pick<Config['quotas'], 'unpaidItems' | 'unpaidBytes'>,
  now: number,
): Promise<void> {
  const bytes = links.reduce((sum, { size }) => sum + size, 0)
  await db
    .prepare(
      `INSERT INTO items (id, user_id, folder_id, name, mimetype, blockchain, size, chunk_size, chunks, status, sha256,
         linked_from, created_at, updated_at, order_id)
       SELECT value ->> 'id', ?1, value ->> 'folderId', value ->> 'name', value ->> 'mimetype', 'IPFS',
         value ->> 'size', 0, 0, ${STATUS.uploading}, value ->> 'sha256', value ->> 'linkedFrom', ?3, ?3,
         (SELECT order_id FROM folders WHERE id = link.value ->> 'folderId')
       FROM json_each(?2) AS link
       WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.folder_id = link.value ->> 'folderId'
           AND i.name = link.value ->> 'name' AND i.removed_at IS NULL)
         AND ${ITEMS_USED.unpaidItems('?1')} + ?4 <= ?6 AND ${ITEMS_USED.unpaidBytes('?1')} + ?5 <= ?7`,
    )
    .bind(userId, JSON.stringify(links), now, links.length, bytes, quotas.unpaidItems, quotas.unpaidBytes)
    .run()
}

/** The files that are linked in these folders. */
export async function selectLinks(
  db: D1Database,
  folderIds: readonly string[],
): Promise<{ folderId: string; name: string; sha256: string }[]> {
  const { results } = await db
    .prepare(
      `SELECT folder_id AS folderId, name, sha256 FROM items
       WHERE folder_id IN (SELECT value FROM json_each(?)) AND linked_from IS NOT NULL AND removed_at IS NULL`,
    )
    .bind(JSON.stringify(folderIds))
    .all<{ folderId: string; name: string; sha256: string }>()
  return results
}
