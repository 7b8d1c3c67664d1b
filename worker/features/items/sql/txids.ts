/** The txids of `item_txids AS t`, 64 hex digits each, as SQL: those of a folded item are stored as bytes. */
export const TXIDS = 'IIF(t.packed IS NULL, t.txids, lower(hex(t.packed)))'

/** The txids of such a text. */
export function readTxids(text: string): string[] {
  return text.match(/.{64}/g) ?? []
}
