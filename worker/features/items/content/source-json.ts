import type { StoredItem } from '../sql/stored-items.ts'

/** What a stored item is made of, for whoever reads and verifies it without this service; `size` in bytes. */
export function sourceJson({ blockchain, name, mimetype, size, txids, cid }: StoredItem) {
  return { blockchain, name, mimetype, size, ...(cid === undefined ? { txids } : { cid }) }
}
