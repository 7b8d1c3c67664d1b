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
  [4, 'ftypavif', 'image/avif'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftypqt', 'video/quicktime'],
  [4, 'ftyp', 'video/mp4'],
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

/** Programs and notes, which are to be read: for many of them other formats have the same ending. */
const TEXTS = /\.(?:md|log|toml|ya?ml|sh|rs|go|py|c|h)$/i

/** By name alone (Path Gateway specification, `Content-Type`); `undefined` when the extension says nothing. */
export function mediaTypeByName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  if (TEXTS.test(name)) return TEXT
  const type = knownMediaType(name)
  return type !== undefined && /^text\/|[/+]xml$/.test(type) ? `${type}; charset=utf-8` : type
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

/**
 * By content, for a file whose name says nothing: `head` is its beginning, `whole` whether that is all of it.
 * JSON is only said to be JSON when all of it parses.
 */
export function mediaTypeByContent(head: Uint8Array, whole: boolean): string {
  const latin1 = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 64)).toString('latin1')
  for (const [offset, bytes, type] of MAGIC) if (latin1.startsWith(bytes, offset)) return type
  const text = decodeText(head, whole)
  if (text === undefined) return BYTES_TYPE
  const start = text.slice(0, 1024).trimStart().toLowerCase()
  if (/^(?:<!doctype html|<(?:html|head|body|script|title|h1|div|p|table|iframe|style)[\s>])/.test(start)) {
    return HTML_TYPE
  }
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/s.test(start))
    return 'image/svg+xml'
  if (start.startsWith('<?xml')) return 'text/xml; charset=utf-8'
  if (whole && /^[[{]/.test(start) && isJson(text)) return JSON_TYPE
  return TEXT
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
