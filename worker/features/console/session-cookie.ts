import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { isLoopback } from '../../platform/http/host-name.ts'
import { consoleOrigins } from './console-origins.ts'

/**
 * The cookie of the console's session, and its attributes, at an origin. Some engines refuse a secure cookie over plain
 * http even on this machine; there alone it has neither the prefix `__Host-` (RFC 6265bis, 4.1.3.2) nor `Secure`.
 */
export function sessionCookie(apiOrigin: string): { name: string; attributes: CookieOptions } {
  const { protocol, host } = new URL(apiOrigin)
  const secure = protocol === 'https:' || !isLoopback(host)
  return {
    name: secure ? '__Host-hookline' : 'hookline',
    attributes: { secure, httpOnly: true, sameSite: 'Strict', path: '/' },
  }
}

function cookieOf(c: Context<AppEnv>) {
  return sessionCookie(consoleOrigins(c.req.url, c.get('config')).apiOrigin)
}

/** The refresh token that the browser stores where no script reads it. */
export function readSessionCookie(c: Context<AppEnv>): string | undefined {
  return getCookie(c, cookieOf(c).name)
}

/** Stores a refresh token for longer than it lives: it shows later that the account is known on this device. */
export function setSessionCookie(c: Context<AppEnv>, refreshToken: string): void {
  const { name, attributes } = cookieOf(c)
  setCookie(c, name, refreshToken, { ...attributes, maxAge: LIFETIMES.knownDevice })
}

export function deleteSessionCookie(c: Context<AppEnv>): void {
  const { name, attributes } = cookieOf(c)
  deleteCookie(c, name, attributes)
}
