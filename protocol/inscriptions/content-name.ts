import type { InscriptionId } from './inscription-id.ts'

/** The most transactions of a doginal: of at most 1,500 bytes each. */
export const MAX_DOGINAL_TRANSACTIONS = 120
const HIGHEST_INDEX = 0xffffffff

/** What names content that others wrote. */
export type ContentName =
  | { kind: 'inscription'; id: InscriptionId }
  /** All transactions of a doginal, in order. */
  | { kind: 'doginal'; txids: string[] }
  | { kind: 'stamp'; txid: string }

/**
 * `<txid>i<n>`, `<txid>+<txid>…i0` and `stamp:<txid>`, in hex of either case. `undefined` for other text.
 */
export function parseContentName(text: string): ContentName | undefined {
  const stamp = /^stamp:([0-9a-f]{64})$/i.exec(text)?.[1]
  if (stamp !== undefined) return { kind: 'stamp', txid: stamp.toLowerCase() }
  const [, list, number] = /^([0-9a-f]{64}(?:\+[0-9a-f]{64})*)i(0|[1-9][0-9]{0,9})$/i.exec(text) ?? []
  if (list === undefined || Number(number) > HIGHEST_INDEX) return undefined
  const txids = list.toLowerCase().split('+')
  const [txid = ''] = txids
  if (txids.length === 1) return { kind: 'inscription', id: { txid, index: Number(number) } }
  return number === '0' && txids.length <= MAX_DOGINAL_TRANSACTIONS ? { kind: 'doginal', txids } : undefined
}

/** The name as {@link parseContentName} reads it, in its one spelling. */
export function writeContentName(name: ContentName): string {
  switch (name.kind) {
    case 'inscription':
      return `${name.id.txid}i${name.id.index}`
    case 'doginal':
      return `${name.txids.join('+')}i0`
    case 'stamp':
      return `stamp:${name.txid}`
  }
}

/** The transactions that a name has, in its order. */
export function txidsOf(name: ContentName): string[] {
  switch (name.kind) {
    case 'inscription':
      return [name.id.txid]
    case 'doginal':
      return name.txids
    case 'stamp':
      return [name.txid]
  }
}
