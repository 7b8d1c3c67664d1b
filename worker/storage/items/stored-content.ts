/** R2: the bytes of a chain item that its transactions carry, from merge until they are published. */
export const STORED_PREFIX = 'stored/'

/** R2 key of a chain item's stored bytes: Brotli, read by range by the writer. */
export function storedKey(itemId: string): string {
  return STORED_PREFIX + itemId
}
