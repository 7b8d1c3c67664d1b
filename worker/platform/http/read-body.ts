import type { Context } from 'hono'
import { MAX_ACCOUNT_BODY } from '../../../contract/limits.ts'
import { type Message, readCapped } from '../flow/read-capped.ts'
import { AppError } from './errors.ts'
import { JSON_TYPE } from './media-types.ts'
import { decodeJson, parseJsonObject } from './parse-json.ts'

/** Limits of request bodies, in bytes (docs/behaviour/answers.md). */
export const BODY_LIMIT = { account: MAX_ACCOUNT_BODY, retrieval: 1024 * 1024 } as const

/**
 * The whole request body, counted while it is read.
 * @throws {AppError} 413 past `limit`.
 */
export async function readBody(request: Message, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const message = `The body is larger than the limit of ${limit} bytes.`
  return await readCapped(request, limit, () => new AppError(413, 'body_too_large', message))
}

/**
 * Checks that a request has a body, then its media type.
 * @throws {AppError} 400 where `length` is 0, 415 unless it is `application/json`.
 */
export function requireJsonType(contentType: string | null | undefined, length: number): void {
  if (length === 0) throw new AppError(400, 'invalid_json', 'The body is missing. Send a JSON object.')
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== JSON_TYPE) {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.')
  }
}

/** The JSON object of a request's body; size, media type and syntax are checked in this order. @throws {AppError} 413, 415, 400. */
export async function readJson(c: Context, limit: number): Promise<Record<string, unknown>> {
  return parseBody(c, await readBody(c.req.raw, limit))
}

/** {@link readJson}; `undefined` for a request without a body. */
export async function readOptionalJson(c: Context, limit: number): Promise<Record<string, unknown> | undefined> {
  const body = await readBody(c.req.raw, limit)
  return body.length === 0 ? undefined : parseBody(c, body)
}

function parseBody(c: Context, body: Uint8Array): Record<string, unknown> {
  requireJsonType(c.req.header('Content-Type'), body.length)
  return parseJsonObject(decodeJson(body))
}
