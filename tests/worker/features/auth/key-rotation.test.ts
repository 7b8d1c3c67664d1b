import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import worker from '../../../../worker/index.ts'
import { addUser, PASSWORD } from '../../sign-in.ts'
import { decode } from './forge-token.ts'

const jwk = (fill: number) => ({ kty: 'oct', alg: 'HS256', k: Buffer.alloc(32, fill).toString('base64url') })

/** The Worker as deployed with these keys, the first of which signs. */
function deploy(...fills: number[]) {
  const bindings = { ...env, TOKEN_JWKS: JSON.stringify({ keys: fills.map(jwk) }) }
  return async (method: string, path: string, body?: unknown, token?: string, more = {}): Promise<Response> => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', ...more }
    if (token !== undefined) headers.Authorization = `Bearer ${token}`
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example${path}`, init)
    return await worker.fetch(request, bindings, createExecutionContext())
  }
}

describe('a key rotation', () => {
  it('A15: logs nobody out: add the new key second, promote it, drop the old one after the longest life', async () => {
    const { email } = await addUser()
    const old = deploy(1)
    const login = await old('POST', '/v0/token', { email, password: PASSWORD })
    const first = await login.json<{ accessToken: string; refreshToken: string }>()

    const added = deploy(1, 2)
    expect((await added('GET', '/v0/user', undefined, first.accessToken)).status).toBe(200)
    expect((await added('PUT', '/v0/token', { token: first.refreshToken })).status).toBe(201)

    const promoted = deploy(2, 1)
    expect((await promoted('GET', '/v0/user', undefined, first.accessToken)).status).toBe(200)
    const refreshed = await promoted('PUT', '/v0/token', { token: first.refreshToken })
    const { accessToken } = await refreshed.json<{ accessToken: string }>()
    const extended = await promoted('PATCH', '/v0/token', { token: first.refreshToken, exp: 3600 }, accessToken)
    const { refreshToken } = await extended.json<{ refreshToken: string }>()
    // A data centre that still runs the deployment before takes the new key's tokens too.
    expect((await added('GET', '/v0/user', undefined, accessToken)).status).toBe(200)
    expect((await added('PUT', '/v0/token', { token: refreshToken })).status).toBe(201)
    expect((await old('GET', '/v0/user', undefined, accessToken)).status).toBe(401)

    const dropped = deploy(2)
    expect((await dropped('GET', '/v0/user', undefined, accessToken)).status).toBe(200)
    expect((await dropped('PUT', '/v0/token', { token: refreshToken })).status).toBe(201)
    expect((await dropped('GET', '/v0/user', undefined, first.accessToken)).status).toBe(401)
    expect((await dropped('PUT', '/v0/token', { token: first.refreshToken })).status).toBe(401)
  })

  it('replaces a refresh token that another key signed by one of the same session and end', async () => {
    const { email } = await addUser()
    const login = await deploy(1)('POST', '/v0/token', { email, password: PASSWORD })
    const { refreshToken: token } = await login.json<{ refreshToken: string }>()
    const promoted = deploy(2, 1)
    const answer = await promoted('PUT', '/v0/token', { token })
    const { refreshToken } = await answer.json<{ refreshToken: string }>()
    const { iat } = decode(token).payload
    expect({ ...decode(refreshToken).payload, iat }).toEqual(decode(token).payload)
    const next = await promoted('PUT', '/v0/token', { token: refreshToken })
    expect(Object.keys(await next.json<object>())).toEqual(['accessToken'])
  })

  it('replaces the cookie of the console too', async () => {
    const { email } = await addUser()
    const login = await deploy(1)('POST', '/v0/token', { email, password: PASSWORD })
    const { refreshToken } = await login.json<{ refreshToken: string }>()
    const promoted = deploy(2, 1)
    const ask = (cookie: string) => {
      const headers = { 'Sec-Fetch-Site': 'same-origin', Cookie: `__Host-hookline=${cookie}` }
      return promoted('PUT', '/console/session', undefined, undefined, headers)
    }
    const answer = await ask(refreshToken)
    expect(Object.keys(await answer.json<object>())).toEqual(['accessToken'])
    const [, cookie = ''] = /^__Host-hookline=([^;]+)/.exec(answer.headers.get('Set-Cookie') ?? '') ?? []
    expect(decode(cookie).payload.session).toBe(decode(refreshToken).payload.jti)
    expect((await ask(cookie)).status).toBe(200)
  })
})
