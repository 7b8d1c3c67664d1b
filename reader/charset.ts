import { isTextType, mediaTypeEssence } from '../contract/media-type.ts'

/** The bytes at the start of content that decide its charset. */
export const CHARSET_BYTES = 64 * 1024

/** The bytes within which a declaration is looked for (HTML, 13.2.3.2). */
const PRESCAN_BYTES = 1024

/**
 * What the first bytes of content say about its encoding: names of the WHATWG Encoding Standard in lower case,
 * `replacement` among them, and nothing where nothing is declared.
 */
export interface Charsets {
  /** A byte order mark, which goes before all else. */
  bom?: string
  /** Declared as HTML does it, as CSS does it, and as XML does it. */
  html?: string
  css?: string
  xml?: string
  /** Whether they are valid UTF-8, and are not ISO-2022-JP. */
  utf8: boolean
}

/** What content says about its encoding; `head` is its first {@link CHARSET_BYTES}, `whole` whether that is all of it. */
export function readCharsets(head: Uint8Array, whole: boolean): Charsets {
  const bom = byteOrderMark(head)
  if (bom !== undefined) return { bom, utf8: bom === 'utf-8' && isUtf8(head, whole) }
  const start = new TextDecoder('latin1').decode(head.subarray(0, PRESCAN_BYTES))
  const wide = /^<\0\?\0x\0/.test(start) ? 'utf-16le' : /^\0<\0\?\0x/.test(start) ? 'utf-16be' : undefined
  const xml = wide ?? declared(/^<\?xml[^>]*?\sencoding\s*=\s*(["'])([^"'\s>]+)\1[^>]*>/.exec(start)?.[2])
  const html = wide ?? metaEncoding(start) ?? xml
  const css = declared(/^@charset "([^"]*)";/.exec(start)?.[1])
  return { ...(html && { html }), ...(css && { css }), ...(xml && { xml }), utf8: isUtf8(head, whole) }
}

/** Types whose charset has to be named: JSON, for instance, is UTF-8 in any case, and has no such parameter (RFC 8259). */
const NAMES_CHARSET = /^text\/|[+/]xml$|(?:java|ecma)script$/

/**
 * The media type with the charset of the content: the one that its bytes declare, else the one that the type has already
 * if it is not UTF-8, else UTF-8 where the bytes are valid UTF-8, else none. Types that are not text do not change.
 */
export function withCharset(mediaType: string, charsets: Charsets): string {
  const essence = mediaTypeEssence(mediaType)
  const label = CHARSET.exec(mediaType)?.[1]
  if (!isTextType(essence) || (label === undefined && !NAMES_CHARSET.test(essence))) return mediaType
  const given = encodingOf(label)
  const charset = declaredAs(essence, charsets) ?? (given !== 'utf-8' ? given : undefined)
  const found = charset ?? (charsets.utf8 ? 'utf-8' : undefined)
  if (found !== undefined && found === given) return mediaType
  const bare = mediaType.replace(CHARSET, '')
  return found === undefined || found === REPLACEMENT ? bare : `${bare}; charset=${found}`
}

/** {@link withCharset} for content of which all bytes are there. */
export function typeOfBytes(mediaType: string, bytes: Uint8Array): string {
  const head = bytes.subarray(0, CHARSET_BYTES)
  return withCharset(mediaType, readCharsets(head, head.length === bytes.length))
}

/** The encoding that a media type names, by the name that `TextDecoder` has for it; UTF-8 where it names none. */
export function encodingOfType(mediaType: string): string {
  const encoding = encodingOf(CHARSET.exec(mediaType)?.[1])
  return encoding === undefined || encoding === REPLACEMENT ? 'utf-8' : encoding
}

const CHARSET = /[ \t]*;[ \t]*charset="?([^";]*)"?/i

function declaredAs(essence: string, { bom, html, css, xml }: Charsets): string | undefined {
  if (bom !== undefined) return bom
  if (essence === 'text/html') return html
  if (essence === 'text/css') return css
  return /[/+]xml$|^text\/xsl$/.test(essence) ? xml : undefined
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

/** Encodings that are not decoded, as markup looks like text in them (Encoding, 14.1). */
const REPLACEMENT = 'replacement'
const REPLACED = /^(?:replacement|csiso2022kr|hz-gb-2312|iso-2022-(?:cn|cn-ext|kr))$/i

/** The encoding that a label names (Encoding, 4.2). */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  if (REPLACED.test(label.trim())) return REPLACEMENT
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** The encoding that a label names within text of one byte a character: it cannot be UTF-16 (HTML, 13.2.3.2). */
function declared(label: string | undefined): string | undefined {
  const encoding = encodingOf(label)
  if (encoding?.startsWith('utf-16')) return 'utf-8'
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding
}

/** A comment, a tag up to its attributes, and other markup up to its end. */
const MARKUP = /<!(?=--)[\s\S]*?-->|<(meta)(?=[\t\n\f\r /])|<\/?([a-z])[^\t\n\f\r >]*|<[!/?][^>]*>/gi
/** An attribute, unless a quotation mark is not closed. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?=[\t\n\f\r />=]|$)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?![\t\n\f\r "'])([^\t\n\f\r >]*))|(?![\t\n\f\r ]*=))/y

/** The encoding of the first `<meta>` that declares one (HTML, "prescan a byte stream to determine its encoding"). */
function metaEncoding(start: string): string | undefined {
  MARKUP.lastIndex = 0
  for (let markup = MARKUP.exec(start); markup !== null; markup = MARKUP.exec(start)) {
    const [, meta, other] = markup
    if (meta === undefined && other === undefined) continue
    const { attributes, end } = readAttributes(start, MARKUP.lastIndex)
    // The tag ends behind what is looked at.
    if (start[end] !== '>') return undefined
    MARKUP.lastIndex = end
    if (meta === undefined) continue
    const pragma = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
    const label = attributes.get('charset') ?? (pragma ? labelOf(attributes.get('content') ?? '') : undefined)
    const encoding = declared(label)
    if (encoding !== undefined) return encoding
  }
  return undefined
}

/** Attributes by their names, of which the first counts, and where they end. */
function readAttributes(text: string, from: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>()
  let end = from
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const found = ATTRIBUTE.exec(text)
    if (found === null) break
    end = ATTRIBUTE.lastIndex
    const [, name = '', double, single, bare = ''] = found
    const lower = name.toLowerCase()
    if (!attributes.has(lower)) attributes.set(lower, double ?? single ?? bare)
  }
  const rest = /[\t\n\f\r /]*/y
  rest.lastIndex = end
  rest.exec(text)
  return { attributes, end: Math.max(end, rest.lastIndex) }
}

/** The label in a `content` attribute (HTML, "extracting a character encoding from a meta element"). */
function labelOf(content: string): string | undefined {
  const [, double, single, bare] =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(content) ?? []
  return double ?? single ?? bare
}

/** Switches to a set of two bytes, to Katakana or to JIS X 0201, in text of seven bits (RFC 1468). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin so
const ISO_2022_JP = /\x1b(?:\$[@B]|\$\([DO-Q]|\([IJ])/

function isUtf8(head: Uint8Array, whole: boolean): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(head, { stream: !whole })
    return !ISO_2022_JP.test(text)
  } catch {
    return false
  }
}
