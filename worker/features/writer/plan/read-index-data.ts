import { createHash } from 'node:crypto'
import { encodeContentIndex } from '../../../../protocol/content-index.ts'
import { indexedContent } from '../../items/indexed-content.ts'
import { selectIndexed } from '../../items/sql/indexes.ts'
import type { WriteJob } from '../../items/sql/writes.ts'

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

/** Hex digits of the hash in an id: no two lists of one item share them. */
const DIGITS = 16

/** Names the write of the index of an item by the txids that it names: other txids are another index. */
export function indexId(itemId: string, txids: readonly string[]): string {
  return `${itemId}.${createHash('sha256').update(txids.join('')).digest('hex').slice(0, DIGITS)}`
}
