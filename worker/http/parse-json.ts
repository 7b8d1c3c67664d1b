import { AppError } from './errors.ts'

/** The text of a JSON body. @throws {AppError} 400 where it is not UTF-8 (RFC 8259, 8.1). */
export function decodeJson(bytes: Uint8Array): string {
  try {
    // Replacing what is broken would make one text of many: of a password, or a name in a directory.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new AppError(400, 'invalid_json', 'The body is not JSON: it is not UTF-8.')
  }
}

/**
 * Parses a JSON object out of text. A name that stands twice means different things to different parsers (RFC 8259, 4),
 * and is refused.
 * @throws {AppError} 400.
 */
export function parseJsonObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which may hold a password: it must not reach the log.
    throw new AppError(400, 'invalid_json', 'The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError(400, 'invalid_json', 'The body must be a JSON object.')
  }
  if (hasAmbiguousName(text)) {
    throw new AppError(400, 'invalid_json', 'The body has a name twice, or the name "__proto__".')
  }
  return Object.fromEntries(Object.entries(value))
}

/** Whether an object of this valid JSON text has a member name twice, or one that means something to JavaScript. */
export function hasAmbiguousName(json: string): boolean {
  const objects: (Set<string> | undefined)[] = []
  for (const [token, , colon] of json.matchAll(/"((?:[^"\\]+|\\.)*)"(\s*:)?|[{}[\]]/g)) {
    if (token === '{') objects.push(new Set())
    else if (token === '[') objects.push(undefined)
    else if (token === '}' || token === ']') objects.pop()
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1))
      const names = objects.at(-1)
      if (typeof name !== 'string' || name === '__proto__' || names?.has(name)) return true
      names?.add(name)
    }
  }
  return false
}
