import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { noSuchPath } from '../../../platform/http/errors.ts'
import { respond } from '../../../platform/http/respond.ts'
import { writeSecurityTxt } from './write-security-txt.ts'

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
