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

  it('take no access token that a key of another use signed, and no refresh token by the mail key or the set itself', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    for (const use of ['refresh', 'mail', 'passkey']) {
      const token = forgeToken(HEADER, decode(accessToken).payload, await derivedFor(use))
      expect((await fetchApi('GET', '/v0/user', { token })).status).toBe(401)
    }
    for (const key of [await derivedFor('mail'), KEY]) {
      expect((await refresh(forgeToken(HEADER, decode(refreshToken).payload, key))).status).toBe(401)
    }
  })
})
