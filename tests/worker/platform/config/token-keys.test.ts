import { describe, expect, it } from 'vitest'
import worker from '../../../../worker/index.ts'
import { ConfigurationError, checkConfig } from '../../../../worker/platform/config/config.ts'
import { parseTokenKeys } from '../../../../worker/platform/config/token-keys.ts'

const key = (fill: number, more: Record<string, unknown> = {}) => ({
  kty: 'oct',
  k: Buffer.alloc(32, fill).toString('base64url'),
  ...more,
})
const parse = (keys: unknown) => parseTokenKeys(JSON.stringify({ keys }))

describe('the key set', () => {
  it('gives its keys in their order', () => {
    const secrets = parse([key(1, { alg: 'HS256', use: 'sig', kid: 'a' }), key(2)]).map(({ secret }) => secret[0])
    expect(secrets).toEqual([1, 2])
  })

  it.each([
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /Key Set/],
    ['no keys', '{"keys":[]}', /1 to 8/],
  ])('is refused when it is %s', (_, text, problem) => {
    expect(() => parseTokenKeys(text)).toThrow(problem)
  })

  it.each<[string, unknown[], RegExp]>([
    ['nine keys', [1, 2, 3, 4, 5, 6, 7, 8, 9].map((fill) => key(fill)), /1 to 8/],
    ['a key of 31 bytes', [{ kty: 'oct', k: Buffer.alloc(31).toString('base64url') }], /shorter than 32/],
    ['an empty key', [{ kty: 'oct', k: '' }], /no base64url/],
    ['the same key twice', [key(1), key(1)], /repeats an earlier key/],
    ['the same key in two spellings', [key(0), { kty: 'oct', k: `${'A'.repeat(42)}B` }], /loose encoding/],
    ['a kid twice', [key(1, { kid: 'a' }), key(2, { kid: 'a' })], /repeats an earlier kid/],
    ['an RSA key among them', [key(1), { kty: 'RSA', n: 'AA', e: 'AQAB' }], /key 2 is not of kty/],
    ['a key for HS512', [key(1, { alg: 'HS512' })], /not for alg/],
    ['a key for A256GCM', [key(1, { alg: 'A256GCM' })], /not for alg/],
    ['a key for encryption', [key(1, { use: 'enc' })], /not for use/],
    ['a key that only signs', [key(1, { key_ops: ['sign'] })], /key_ops/],
    ['a key with padding', [{ kty: 'oct', k: `${'A'.repeat(43)}=` }], /no base64url/],
    ['null', [null], /not an object/],
  ])('A16: is refused with %s', (_, keys, problem) => {
    expect(() => parse(keys)).toThrow(problem)
  })

  it('A16: never repeats key material in what it says', () => {
    const secret = Buffer.alloc(31, 7).toString('base64url')
    const config = checkConfig({ TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: secret }] }) })
    expect(config).toBeInstanceOf(ConfigurationError)
    expect(String(config)).not.toContain(secret)
  })

  it('A16: stops the whole service with 503 when it is bad', async () => {
    const { env, createExecutionContext } = await import('cloudflare:test')
    const bad = { ...env, TOKEN_JWKS: '{"keys":[]}' }
    const request = new Request<unknown, IncomingRequestCfProperties>('https://api.example/v0/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    const response = await worker.fetch(request, bad, createExecutionContext())
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'not_configured' })
  })
})
