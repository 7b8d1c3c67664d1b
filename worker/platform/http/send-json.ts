import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { JSON_TYPE } from './media-types.ts'

/** An answer whose JSON text is there already, as {@link coinsJson} makes it. */
export function sendJson(c: Context, text: string, status: ContentfulStatusCode = 200): Response {
  return c.body(text, status, { 'Content-Type': JSON_TYPE })
}
