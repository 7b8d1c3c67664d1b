import { createHash } from 'node:crypto'

/** Hex digits of the hash in an id: no two lists of one item share them. */
const DIGITS = 16

/** Names the write of the index of an item by the txids that it names: other txids are another index. */
export function indexId(itemId: string, txids: readonly string[]): string {
  return `${itemId}.${createHash('sha256').update(txids.join('')).digest('hex').slice(0, DIGITS)}`
}
