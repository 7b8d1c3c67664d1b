import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { logInQuickly } from '../../sign-in.ts'
import { decode, forgeToken, HEADER, KEY } from './forge-token.ts'

/** What HKDF-SHA-256 makes of a secret for a use (RFC 5869), by another implementation than the Worker's. */
async function derivedFor(use: string): Promise<Buffer> {
  const { hkdfSync } = await import('node:crypto')
  return Buffer.from(hkdfSync('sha256', KEY, Buffer.alloc(32), `hookline ${use}`, 32))
}

const refresh = (token: string) => fetchApi('PUT', '/v0/token', { body: { token } })

describe('the keys of tokens', () => {
  it('are apart: each use has its own, derived from the set; access tokens are signed by the set itself', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const again = (token: string, key: Buffer) => forgeToken(HEADER, decode(token).payload, key)
    expect(again(accessToken, KEY)).toBe(accessToken)
    expect(again(refreshToken, await derivedFor('refresh'))).toBe(refreshToken)
  })

  it('take no access token that a key of another use signed, and no refresh token by the mail key', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    for (const use of ['refresh', 'mail', 'passkey']) {
      const token = forgeToken(HEADER, decode(accessToken).payload, await derivedFor(use))
      expect((await fetchApi('GET', '/v0/user', { token })).status).toBe(401)
    }
    const mailed = forgeToken(HEADER, decode(refreshToken).payload, await derivedFor('mail'))
    expect((await refresh(mailed)).status).toBe(401)
  })

  it('still take a refresh token that the set itself signed, until it expires, and replace it when it is used', async () => {
    const { refreshToken } = await logInQuickly()
    const old = forgeToken(HEADER, decode(refreshToken).payload)
    const answer = await refresh(old)
    expect(answer.status).toBe(201)
    const replaced: { accessToken: string; refreshToken: string } = await answer.json()
    const [before, after] = [decode(old).payload, decode(replaced.refreshToken).payload]
    expect({ ...after, iat: before.iat }).toEqual(before)
    const second = await refresh(replaced.refreshToken)
    expect(Object.keys(await second.json<object>())).toEqual(['accessToken'])
    // It is the same session: ending it ends both.
    await env.DB.prepare('DELETE FROM sessions WHERE jti = ?').bind(String(after.jti)).run()
    expect([(await refresh(old)).status, (await refresh(replaced.refreshToken)).status]).toEqual([401, 401])
  })

  it('replace the cookie of the console too', async () => {
    const { refreshToken } = await logInQuickly()
    const old = forgeToken(HEADER, decode(refreshToken).payload)
    const ask = (cookie: string) =>
      fetchApi('PUT', '/console/session', {
        headers: { 'Sec-Fetch-Site': 'same-origin', Cookie: `__Host-hookline=${cookie}` },
      })
    const answer = await ask(old)
    expect(Object.keys(await answer.json<object>())).toEqual(['accessToken'])
    const [, cookie = ''] = /^__Host-hookline=([^;]+)/.exec(answer.headers.get('Set-Cookie') ?? '') ?? []
    expect(decode(cookie).payload.session).toBe(decode(old).payload.jti)
    expect((await ask(cookie)).status).toBe(200)
  })
})
