import type { Context } from 'hono'
import { AppError } from '../http/errors.ts'
import { BODY_LIMIT, decodeJson, parseJsonObject, readBody, requireJsonType } from '../http/read-body.ts'

/**
 * The JSON object of a request about tokens or accounts, or nothing when it has no body at all. Stricter than
 * elsewhere: a name that stands twice means different things to different parsers, and is refused.
 * @throws {AppError} 413, 415, 400.
 */
export async function readOptionalAccountJson(c: Context): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBody(c.req.raw, BODY_LIMIT.account)
  return bytes.length === 0 ? undefined : parseAccountJson(c, bytes)
}

/** The JSON object of a request about tokens or accounts. @throws {AppError} 413, 415, 400. */
export async function readAccountJson(c: Context): Promise<Record<string, unknown>> {
  return parseAccountJson(c, await readBody(c.req.raw, BODY_LIMIT.account))
}

function parseAccountJson(c: Context, bytes: Uint8Array): Record<string, unknown> {
  requireJsonType(c.req.header('Content-Type'), bytes.length)
  const text = decodeJson(bytes)
  const body = parseJsonObject(text)
  if (hasAmbiguousName(text)) {
    throw new AppError(400, 'invalid_json', 'The body has a name twice, or the name "__proto__".')
  }
  return body
}

/** Whether an object of this valid JSON text has a member name twice, or one that means something to JavaScript. */
export function hasAmbiguousName(json: string): boolean {
  const objects: (Set<string> | undefined)[] = []
  for (const [token, , colon] of json.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g)) {
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
