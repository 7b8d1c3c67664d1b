import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { noSuchPath } from '../../../platform/http/errors.ts'
import { respond } from '../../../platform/http/respond.ts'

/** GET /.well-known/security.txt: whom to tell of a weakness, where the operator has said it. */
export const securityTxt = new Hono<AppEnv>()

securityTxt.get('/.well-known/security.txt', async (c) => {
  const { security, baseUrl } = c.get('config')
  if (!security) throw noSuchPath()
  const body = new TextEncoder().encode(writeSecurityTxt(security, baseUrl, now()))
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('base64url')
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=3600' })
  return await respond(c.req.raw, { status: 200, headers, etag: `"${digest.slice(0, 24)}"`, body })
})

const DAY_MS = 86_400_000
/** RFC 9116, 2.5.5: less than a year. */
const VALID_DAYS = 180

/**
 * The text of `security.txt` (RFC 9116) as of `now` (ms): it is made again for as long as the service runs with these
 * settings, and changes once a day.
 */
export function writeSecurityTxt(
  { contacts, policy }: NonNullable<Config['security']>,
  baseUrl: URL,
  now: number,
): string {
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString().replace('.000Z', 'Z')
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    `Canonical: ${baseUrl.origin}/.well-known/security.txt`,
    ...(policy === undefined ? [] : [`Policy: ${policy}`]),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}
