import { createHash } from 'node:crypto'
import { fromHex } from '../../protocol/bytes.ts'
import type { StoredEncoding } from './brotli.ts'
import type { ContentRequest } from './parse-request.ts'

/** `content`: what the OP_RETURN outputs hold. `tx`: the transactions themselves, without witness. */
export type RecordKind = 'content' | 'tx'

/** What every cache tier keeps for a list of txids. */
export interface ContentRecord {
  bytes: Uint8Array
  /** For `tx` always `identity`. */
  encoding: StoredEncoding
}

/** A name for a list of transactions: the txid of a lone one, else the SHA-256 of all txids in order. */
export function contentKey({ blockchain, txids }: ContentRequest): string {
  const [lone = ''] = txids
  const name =
    txids.length === 1
      ? lone
      : createHash('sha256')
          .update(fromHex(txids.join('')) ?? '')
          .digest('hex')
  return `${blockchain}/${name}`
}

/** The object that fetches a content: one of a fixed 16, since making one takes longer than most fetches. */
export function fetcherName(key: string): string {
  return String(Number.parseInt(key.slice(-2), 16) % 16)
}

/** Metadata beside the bytes, in R2 and in the Cache API alike. */
export function readEncoding(value: string | null | undefined): StoredEncoding | undefined {
  return value === 'br' || value === 'identity' || value === 'oversize' ? value : undefined
}
