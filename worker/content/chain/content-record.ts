import { createHash } from 'node:crypto'
import { fromHex } from '../../../protocol/bytes.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import type { StoredForm } from './brotli.ts'
import type { ContentRequest } from './parse-request.ts'

/** `content`: what the OP_RETURN outputs hold. `tx`: the transactions themselves, without witness. */
export type RecordKind = 'content' | 'tx'

/** Content of up to this size (bytes) is in memory as a whole; larger content is read step by step. */
export const WHOLE_BYTES = 1 << 20

/** What the tiers have for a list of txids; of `tx` the encoding is always `identity`. */
export interface ContentRecord {
  /** What is more than {@link WHOLE_BYTES} can be read once. */
  body: Uint8Array | SizedBody
  form: StoredForm
}

/** Bytes of a record's body. */
export function sizeOf({ body }: Pick<ContentRecord, 'body'>): number {
  return body instanceof Uint8Array ? body.length : body.size
}

/** The bytes of a record's body, in parts. */
export function partsOf({ body }: Pick<ContentRecord, 'body'>): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return body instanceof Uint8Array ? [body] : body.read({ start: 0, end: body.size - 1 })
}

/**
 * The name of a list of transactions, `<chain>/<64 hex digits>`: SHA-256 over the chain and all txids in order, of a lone
 * one as well. A name is therefore never a txid, and nobody can find a list that has the name of another.
 */
export function listName({ blockchain, txids }: ContentRequest): string {
  const hash = createHash('sha256').update(`txids of ${blockchain}\n`)
  return `${blockchain}/${hash.update(fromHex(txids.join('')) ?? '').digest('hex')}`
}

/** The name of what is stored of a list: of different kinds and lists never the same. */
export function recordName(kind: RecordKind, list: string): string {
  return `${kind}/${list}`
}

/**
 * The metadata of a record, the same in R2 and in the Cache API; `root` is that of a website. `undefined` for other metadata.
 */
export function readForm(
  encoding: string | null | undefined,
  decoded: string | null | undefined,
  root: string | null | undefined,
): StoredForm | undefined {
  const site = root ? { root } : {}
  if (encoding === 'identity') return { encoding, ...site }
  if (encoding === 'oversize') return { encoding }
  if (encoding !== 'br' || !/^\d{1,15}$/.test(decoded ?? '')) return undefined
  return { encoding, decodedBytes: Number(decoded), ...site }
}

/** The decoded size in the metadata: digits, or nothing. */
export function decodedText(form: StoredForm): string {
  return form.encoding === 'br' ? String(form.decodedBytes) : ''
}

/** The root of a website in the metadata: a CID, or nothing. */
export function rootText(form: StoredForm): string {
  return form.encoding === 'oversize' ? '' : (form.root ?? '')
}
