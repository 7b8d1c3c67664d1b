import type { Context } from 'hono'
import { type Message, readCapped } from '../flow/read-capped.ts'
import { AppError } from './errors.ts'

/** Limits of request bodies, in bytes (docs/behaviour.md, section 1). */
export const BODY_LIMIT = { account: 8 * 1024, retrieval: 1024 * 1024 } as const

/**
 * The whole request body, counted while it is read.
 * @throws {AppError} 413 past `limit`.
 */
export async function readBody(request: Message, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const message = `The body is larger than the limit of ${limit} bytes.`
  return await readCapped(request, limit, () => new AppError(413, 'body_too_large', message))
}

/** The text of a JSON body. @throws {AppError} 400 where it is not UTF-8 (RFC 8259, 8.1). */
export function decodeJson(bytes: Uint8Array): string {
  try {
    // Replacing what is broken would make one text of many: of a password, or a name in a directory.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new AppError(400, 'invalid_json', 'The body is not JSON: it is not UTF-8.')
  }
}

/** Parses a JSON object out of text. @throws {AppError} 400. */
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
  return Object.fromEntries(Object.entries(value))
}

/**
 * A request without a body needs no media type: what it lacks is the body.
 * @throws {AppError} 400 for a body of no `length`, 415 unless it is sent as `application/json`.
 */
export function requireJsonType(contentType: string | null | undefined, length: number): void {
  if (length === 0) throw new AppError(400, 'invalid_json', 'The body is missing. Send a JSON object.')
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.')
  }
}

/** The JSON object a request carries: size, then media type, then syntax. @throws {AppError} 413, 415, 400. */
export async function readJson(c: Context, limit: number): Promise<Record<string, unknown>> {
  const body = await readBody(c.req.raw, limit)
  requireJsonType(c.req.header('Content-Type'), body.length)
  return parseJsonObject(decodeJson(body))
}
