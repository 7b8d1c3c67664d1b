import { createHash } from 'node:crypto'
import { fromHex } from '../../../protocol/bytes.ts'
import { type Charsets, withCharset } from '../../../reader/charset.ts'
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

/** The name of the stored record of a list: it differs by kind and list. */
export function recordName(kind: RecordKind, list: string): string {
  return `${kind}/${list}`
}

/** The metadata of a record, the same in R2 and in the Cache API. */
export interface RecordMetadata {
  encoding: string
  /** The decoded size of Brotli: digits, or nothing. */
  decoded: string
  /** The root of a website: a CID, or nothing. */
  root: string
  /** What {@link charsetsText} writes. */
  charsets: string
  /** The step of content in parts that were compared: digits, or nothing. */
  parts: string
}

type ReadMetadata = { [Name in keyof RecordMetadata]?: string | null }

/** The form that the metadata of a record describes; `undefined` for other metadata. */
export function readForm({ encoding, decoded, root, charsets, parts }: ReadMetadata): StoredForm | undefined {
  if (encoding === 'oversize') return { encoding }
  const known = readCharsetsText(charsets)
  if (known === 'invalid') return undefined
  const facts = { ...(root ? { root } : {}), ...(known && { charsets: known }) }
  if (encoding === 'identity') return { encoding, ...facts }
  if (encoding !== 'br' || !/^\d{1,15}$/.test(decoded ?? '')) return undefined
  const step = /^\d{1,7}$/.test(parts ?? '') ? { parts: Number(parts) } : {}
  return { encoding, decodedBytes: Number(decoded), ...facts, ...step }
}

/** The metadata that {@link readForm} reads. */
export function metadataOf(form: StoredForm): RecordMetadata {
  const charsets = form.encoding === 'oversize' ? undefined : form.charsets
  return {
    encoding: form.encoding,
    decoded: form.encoding === 'br' ? String(form.decodedBytes) : '',
    root: rootText(form),
    charsets: charsets ? charsetsText(charsets) : '',
    parts: typeof form.parts === 'number' ? String(form.parts) : '',
  }
}

/** Five fields with commas between them; nothing for what is unknown. */
function charsetsText({ bom = '', html = '', css = '', xml = '', utf8 }: Charsets): string {
  return [bom, html, css, xml, utf8 ? 'utf-8' : ''].join(',')
}

function readCharsetsText(text: string | null | undefined): Charsets | 'invalid' | undefined {
  if (text === '') return undefined
  if (!text || !/^(?:[a-z0-9_-]*,){4}(?:utf-8)?$/.test(text)) return 'invalid'
  const [bom, html, css, xml, utf8] = text.split(',')
  return {
    ...(bom && { bom }),
    ...(html && { html }),
    ...(css && { css }),
    ...(xml && { xml }),
    utf8: utf8 === 'utf-8',
  }
}

/** A media type with the charset of a record's content, where that is known. */
export function typeOfContent(mediaType: string, form: StoredForm): string {
  return form.encoding === 'oversize' || !form.charsets ? mediaType : withCharset(mediaType, form.charsets)
}

/** The root of a website: a CID, or nothing. */
export function rootText(form: StoredForm): string {
  return form.encoding === 'oversize' ? '' : (form.root ?? '')
}
