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
 * A request without a body needs no media type: what it lacks is the body.
 * @throws {AppError} 400 for a body of no `length`, 415 unless it is sent as `application/json`.
 */
export function requireJsonType(contentType: string | null | undefined, length: number): void {
  if (length === 0) throw new AppError(400, 'invalid_json', 'The body is missing. Send a JSON object.')
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== JSON_TYPE) {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.')
  }
}

/** The JSON object a request carries: size, then media type, then syntax. @throws {AppError} 413, 415, 400. */
export async function readJson(c: Context, limit: number): Promise<Record<string, unknown>> {
  return parseBody(c, await readBody(c.req.raw, limit))
}

/** {@link readJson}, or nothing for a request that has no body at all. */
export async function readOptionalJson(c: Context, limit: number): Promise<Record<string, unknown> | undefined> {
  const body = await readBody(c.req.raw, limit)
  return body.length === 0 ? undefined : parseBody(c, body)
}

function parseBody(c: Context, body: Uint8Array): Record<string, unknown> {
  requireJsonType(c.req.header('Content-Type'), body.length)
  return parseJsonObject(decodeJson(body))
}
