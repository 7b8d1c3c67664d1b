import { encodeContentIndex } from '../../../protocol/content-index.ts'
import { indexedContent } from '../items/indexed-content.ts'
import { indexId } from './index-id.ts'
import { selectIndexed } from './sql/indexes.ts'
import type { WriteJob } from './sql/writes.ts'

/**
 * The data of the index transaction that a write makes; `undefined` where its item is not stored, or with other txids than
 * those that it was to name.
 */
export async function readIndexData(
  db: D1Database,
  { itemId, indexOf }: Pick<WriteJob, 'itemId'> & { indexOf: string },
): Promise<Uint8Array | undefined> {
  const item = await selectIndexed(db, indexOf)
  if (!item || indexId(indexOf, item.txids) !== itemId) return undefined
  const { txids, sha256 } = item
  return encodeContentIndex({ ...indexedContent(item), sha256, encoding: 'br', parts: txids })
}
