import { AppError } from './errors.ts'
import { isRecord } from './is-record.ts'

/** The most members, elements, objects and lists of one body: 1.5 times those of an estimate of 10,000 files. */
const MAX_STRUCTURE = 75_000

const [QUOTE, BACKSLASH, COMMA, COLON, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b]

/** With replacement characters, different passwords or names would become one. One for all requests takes 0.7 µs less. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The text of a JSON body. @throws {AppError} 400 where it is not UTF-8 (RFC 8259, 8.1). */
export function decodeJson(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new AppError(400, 'invalid_json', 'The body is not JSON: it is not UTF-8.')
  return text
}

/** The text of these bytes, without a byte order mark; `undefined` where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The JSON object of a text. A name that occurs twice is rejected, because parsers differ on it (RFC 8259, 4).
 * @throws {AppError} 400, and 413 for more members and elements than any request needs.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (hasMoreStructure(text, MAX_STRUCTURE)) {
    throw new AppError(413, 'body_too_large', 'The body has more members and elements than any request needs.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which may contain a password and must not be logged.
    throw new AppError(400, 'invalid_json', 'The body is not JSON.')
  }
  if (!isRecord(value)) throw new AppError(400, 'invalid_json', 'The body must be a JSON object.')
  if (hasAmbiguousName(text)) {
    throw new AppError(400, 'invalid_json', 'The body has a name twice, or the name "__proto__".')
  }
  return value
}

/** Whether this text has more than `most` of the characters that JSON has before and between values. */
export function hasMoreStructure(text: string, most: number): boolean {
  if (text.length <= most) return false
  let count = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) inString = !inString
    else if (inString) index += code === BACKSLASH ? 1 : 0
    else if (code === COMMA || code === COLON || code === LIST || code === OBJECT) count++
  }
  return count > most
}

/** Whether an object in this valid JSON text has a member name twice, or the name `__proto__`. */
export function hasAmbiguousName(json: string): boolean {
  const objects: (Set<string> | undefined)[] = []
  for (const [token, , colon] of json.matchAll(/"((?:[^"\\]+|\\.)*)"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') objects.push(undefined)
    else if (token === '}' || token === ']') objects.pop()
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1))
      const names = objects.at(-1) ?? new Set<string>()
      if (typeof name !== 'string' || name === '__proto__' || names.has(name)) return true
      names.add(name)
      objects[objects.length - 1] = names
    }
  }
  return false
}
