import type { StoredItem } from '../sql/stored-items.ts'

/**
 * What a stored item is made of, for whoever reads and verifies it without this service; `size` in bytes. A directory on a
 * chain has both.
 */
export function sourceJson({ blockchain, name, mimetype, size, txids, index, cid }: StoredItem) {
  return {
    blockchain,
    name,
    mimetype,
    size,
    ...(txids.length > 0 ? { txids } : {}),
    ...(index === undefined ? {} : { index }),
    ...(cid === undefined ? {} : { cid }),
  }
}
