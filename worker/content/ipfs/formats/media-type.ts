import { mediaTypeEssence } from '../../../../contract/media-type.ts'
import { knownMediaType } from '../../../../reader/media-type-of.ts'
import { BYTES_TYPE, HTML_TYPE, JSON_TYPE } from '../../../platform/http/media-types.ts'

/** The bytes at the start of a file from which its type is detected. */
export const SNIFF_BYTES = 64 * 1024

/** First bytes that are in no other format: offset, bytes as a string of Latin-1, media type. */
const MAGIC: readonly (readonly [number, string, string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
  [0, '\x1aE\xdf\xa3', 'video/webm'],
  [0, 'OggS', 'application/ogg'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\xff\xfb', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [8, 'WAVE', 'audio/wav'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, '\0asm', 'application/wasm'],
  [0, 'wOF2', 'font/woff2'],
  [0, 'wOFF', 'font/woff'],
  [0, 'BM', 'image/bmp'],
  [0, '\0\0\x01\0', 'image/x-icon'],
]

/** Types of ISO media files (ISO/IEC 14496-12, 4.3) by brand; \0 pads it. Files of other brands are MP4. */
const BRANDS = new Map([
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
  ['heim', 'image/heic'],
  ['heis', 'image/heic'],
  ['hevc', 'image/heic-sequence'],
  ['hevx', 'image/heic-sequence'],
  ['mif1', 'image/heif'],
  ['msf1', 'image/heif-sequence'],
  ['M4A ', 'audio/mp4'],
  ['qt  ', 'video/quicktime'],
])

/** Brands of a container alone: what is in it is said by the brands behind, with which it is compatible. */
const GENERAL_BRANDS = ['mif1', 'msf1']

/** Programs and notes, which are to be read: for many of them other formats have the same ending. */
const TEXTS = /\.(?:md|log|toml|ya?ml|sh|rs|go|py|c|h)$/i

/** Endings that are of office files and, more often, of keys and notes. */
const AMBIGUOUS = /\.(?:key|org)$/i

/** By name alone (Path Gateway specification, `Content-Type`); `undefined` when the extension says nothing. */
export function mediaTypeByName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  if (TEXTS.test(name)) return TEXT
  return knownMediaType(name)
}

/** Types that browsers run as a page of their origin: any XML may contain scripts of XHTML. */
const DOCUMENTS = /^(?:text\/html|message\/|multipart\/)|[/+]xml\b/

/**
 * By a name that whoever wrote the link chose, not the publisher: it may say what a file is, but make no page of what
 * its publisher has as text.
 */
export function harmlessTypeByName(name: string | null): string | undefined {
  const type = mediaTypeByName(name ?? undefined)
  return type === undefined || DOCUMENTS.test(type) ? undefined : type
}

const TEXT = 'text/plain; charset=utf-8'

/** Whether a type is of the standards tree (RFC 6838, 3.1): neither of a vendor nor unregistered. */
function isStandard(type: string): boolean {
  return !/^x-|\/(?:x-|vnd\.|prs\.)/.test(type)
}

/**
 * The type of a file with a name, of which `sniff` returns the type by content. What is not in the standards tree
 * yields to what the bytes are recognised as: an audio file, for instance, or a program that is text. A ZIP file is what
 * its name says.
 */
export async function decideMediaType(named: string | undefined, name: string, sniff: () => Promise<string>) {
  if (named !== undefined && isStandard(named)) return named
  const found = await sniff()
  if (named === undefined) return found
  if (found === BYTES_TYPE || found === 'application/zip') return named
  const isText = /^text\/|json$|xml$/.test(mediaTypeEssence(found))
  return isText && !named.startsWith('application/x-') && !AMBIGUOUS.test(name) ? named : found
}

/**
 * By content, for a file whose name says nothing: `head` is its beginning, `whole` whether that is all of it.
 * JSON is only said to be JSON when all of it parses.
 */
export function mediaTypeByContent(head: Uint8Array, whole: boolean): string {
  const latin1 = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 64)).toString('latin1')
  for (const [offset, bytes, type] of MAGIC) if (latin1.startsWith(bytes, offset)) return type
  if (latin1.startsWith('ftyp', 4)) return typeOfBrands(head, latin1)
  const text = decodeText(head, whole)
  if (text === undefined) return BYTES_TYPE
  const start = text
    .slice(0, SNIFF_BYTES)
    .replace(/^\s*(?:<!--[\s\S]*?-->\s*)*/, '')
    .slice(0, 1024)
    .toLowerCase()
  if (/^(?:<!doctype html|<(?:html|head|body|script|title|h1|div|p|table|iframe|style)[\s>])/.test(start)) {
    return HTML_TYPE
  }
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/s.test(start))
    return 'image/svg+xml'
  if (start.startsWith('<?xml')) return 'text/xml; charset=utf-8'
  if (whole && /^[[{]/.test(start) && isJson(text)) return JSON_TYPE
  return TEXT
}

/** By the brands of an ISO media file, which are the box at its start. */
function typeOfBrands(head: Uint8Array, latin1: string): string {
  const size = head.length < 4 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0)
  const major = latin1.slice(8, 12)
  const compatible = latin1.slice(16, Math.min(size, 64)).match(/.{4}/gs) ?? []
  const known = (brand: string) => BRANDS.has(brand) && !GENERAL_BRANDS.includes(brand)
  const brand = GENERAL_BRANDS.includes(major) ? (compatible.find(known) ?? major) : major
  return BRANDS.get(brand) ?? 'video/mp4'
}

function decodeText(head: Uint8Array, whole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(head, { stream: !whole })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no text has
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
