import { createHash } from 'node:crypto'
import { fromHex } from '../../../protocol/bytes.ts'
import type { StoredEncoding } from './brotli.ts'
import type { ContentRequest } from './parse-request.ts'

/** `content`: what the OP_RETURN outputs hold. `tx`: the transactions themselves, without witness. */
export type RecordKind = 'content' | 'tx'

/** What the tiers have for a list of txids. */
export interface ContentRecord {
  bytes: Uint8Array
  /** For `tx` always `identity`. */
  encoding: StoredEncoding
}

/**
 * The name of a list of transactions, `<chain>/<64 hex digits>`: SHA-256 over the chain and all txids in order, of a lone
 * one as well. A name is therefore never a txid, and nobody can find a list that has the name of another.
 */
export function listName({ blockchain, txids }: ContentRequest): string {
  const hash = createHash('sha256').update(`txids of ${blockchain}\n`)
  return `${blockchain}/${hash.update(fromHex(txids.join('')) ?? '').digest('hex')}`
}

/** The name of what is kept of a list: of different kinds and lists never the same. */
export function recordName(kind: RecordKind, list: string): string {
  return `${kind}/${list}`
}

/** Metadata beside the bytes, in R2 and in the Cache API alike. */
export function readEncoding(value: string | null | undefined): StoredEncoding | undefined {
  return value === 'br' || value === 'identity' || value === 'oversize' ? value : undefined
}
