import type { IndexedContent } from '../../../contract/content-index.ts'
import { CAR_TYPE } from '../../../contract/media-type.ts'
import { BYTES_TYPE } from '../../platform/http/media-types.ts'
import type { Item } from './sql/items.ts'

/** What an index says of an item: of a directory on a chain its CAR. */
export function indexedContent({
  directoryOf,
  mimetype,
  size,
  contentSize,
}: Pick<Item, 'directoryOf' | 'mimetype' | 'size' | 'contentSize'>): IndexedContent {
  const type = directoryOf === null ? mimetype : CAR_TYPE
  // A parameter of a media type may have a tab.
  return { type: /^[\x20-\x7e]+$/.test(type) ? type : BYTES_TYPE, size: contentSize ?? size }
}

/** Whether an item is to have an index, or has one. */
export function hasIndex({ indexed, transactions }: Pick<Item, 'indexed' | 'transactions'>): boolean {
  return indexed === true && (transactions ?? 0) > 1
}
