import crypto from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signToken } from '../../../../worker/features/auth/sign-token.ts'
import type { TokenKind } from '../../../../worker/features/auth/token-claims.ts'
import { type Verdict, verifyToken } from '../../../../worker/features/auth/verify-token.ts'
import { decode, encode, forgeToken, HEADER, KEY } from './forge-token.ts'

const NOW = 1_800_000_000
const config = { baseUrl: new URL('https://api.example'), tokenKeys: [{ secret: new Uint8Array(KEY) }] }
const base = { sub: 'user-1', jti: 'token-1', iat: NOW, exp: NOW + 1800, auth_time: NOW, epoch: 0 }
const sent = { ...base, iss: 'https://api.example', aud: 'https://api.example/v0' }
const { exp: _, ...withoutExp } = sent
const check = (token: string, kind: TokenKind = 'access', now = NOW) => verifyToken(token, kind, config, now)
const valid = (verdict: Verdict) => verdict.valid
const good = await signToken('access', base, config)
const [header = '', payload = '', signature = ''] = good.split('.')

describe('a token of ours', () => {
  it('is valid, and its claims are read', async () => {
    expect(await check(good)).toEqual({ valid: true, outdated: false, claims: base })
  })

  it('has exactly the header that is documented, in its order', () => {
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"HS256","typ":"JWT"}')
  })

  it('is what anybody else computes from key, header and claims (RFC 7515, A.1)', () => {
    expect(forgeToken(HEADER, decode(good).payload)).toBe(good)
  })

  it.each([
    [NOW - 5, true],
    [NOW - 6, false],
    [NOW + 1799, true],
    [NOW + 1800, false],
    [NOW + 1801, false],
  ])('A13: at %d its validity is %s', async (now, expected) => {
    expect(valid(await check(good, 'access', now))).toBe(expected)
  })

  it('is refused when any one character is altered, at every position', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n'
    for (let at = 0; at < good.length; at++) {
      const other = alphabet[(alphabet.indexOf(good[at] ?? '') + 1 + (at % 60)) % alphabet.length] ?? ''
      const altered = good.slice(0, at) + (other === good[at] ? 'x' : other) + good.slice(at + 1)
      expect(valid(await check(altered)), `position ${at}`).toBe(false)
    }
  })

  it('is refused when a part of it is cut out, doubled, swapped or replaced', async () => {
    const edit = fc.record({
      at: fc.nat(good.length),
      remove: fc.nat(20),
      insert: fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('.', '=', '\n', ' ', '\0', payload, signature)),
    })
    await fc.assert(
      fc.asyncProperty(edit, async ({ at, remove, insert }) => {
        const altered = good.slice(0, at) + insert + good.slice(at + remove)
        fc.pre(altered !== good)
        expect(valid(await check(altered))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it('is refused with every other last character, though four of them decode to the same signature', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const accepted = []
    for (const last of alphabet) if (valid(await check(good.slice(0, -1) + last))) accepted.push(last)
    expect(accepted).toEqual([good.at(-1)])
  })
})

describe('a token nobody should accept', () => {
  const signedBy = (alg: string, hash: string) => forgeToken({ alg, typ: 'JWT' }, sent, KEY, hash)
  const vectors: [string, string][] = [
    ['A1: alg none, no signature', `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`],
    ['A1: alg none, our signature', `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.${signature}`],
    ['A1: no signature', `${header}.${payload}.`],
    ['A1: no third part', `${header}.${payload}`],
    ['A1: an all-zero signature', `${header}.${payload}.${'A'.repeat(43)}`],
    ['A2: HS384 with our key', signedBy('HS384', 'sha384')],
    ['A2: HS512 with our key', signedBy('HS512', 'sha512')],
    ['A2: RS256 in name', signedBy('RS256', 'sha256')],
    ['A2: ES256 in name', signedBy('ES256', 'sha256')],
    ['A2: HS256 in name, SHA-512 in fact', signedBy('HS256', 'sha512')],
    ['A3: alg "hs256"', signedBy('hs256', 'sha256')],
    ['A3: alg "HS256 "', signedBy('HS256 ', 'sha256')],
    ['A4: a key of its own in jwk', forgeToken({ ...HEADER, jwk: { kty: 'oct', k: encode('x'.repeat(32)) } }, sent)],
    ['A4: jku', forgeToken({ ...HEADER, jku: 'https://evil.example/keys' }, sent)],
    ['A4: x5u', forgeToken({ ...HEADER, x5u: 'https://evil.example/cert' }, sent)],
    ['A4: x5c', forgeToken({ ...HEADER, x5c: ['AAAA'] }, sent)],
    ['A6: crit', forgeToken({ ...HEADER, crit: ['exp'] }, sent)],
    ['A6: b64 false', forgeToken({ ...HEADER, b64: false, crit: ['b64'] }, sent)],
    ['A6: zip', forgeToken({ ...HEADER, zip: 'DEF' }, sent)],
    ['A6: kid', forgeToken({ ...HEADER, kid: '../../dev/null' }, sent)],
    ['A6: the members in another order', forgeToken({ typ: 'JWT', alg: 'HS256' }, sent)],
    ['A6: a space in the header', forgeToken('{"alg":"HS256", "typ":"JWT"}', sent)],
    ['A6: alg twice', forgeToken('{"alg":"none","alg":"HS256","typ":"JWT"}', sent)],
    ['A6: no typ', forgeToken({ alg: 'HS256' }, sent)],
    ['A7: a JWE of five parts', `${encode({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    ['A7: the JSON serialization', JSON.stringify({ protected: header, payload, signature })],
    ['A8: with =', `${good}=`],
    ['A8: with a newline', `${good}\n`],
    ['A8: with a space before', ` ${good}`],
    ['A8: with padded parts', `${header}=.${payload}.${signature}`],
    ['A8: with a NUL', `${good}\0`],
    ['A8: with the standard alphabet', `${good.slice(0, -2)}+/`],
    ['A11: another issuer', forgeToken(HEADER, { ...sent, iss: 'https://api.example.evil' })],
    ['A11: no issuer', forgeToken(HEADER, { ...sent, iss: undefined })],
    ['A11: another audience', forgeToken(HEADER, { ...sent, aud: 'https://other.example/v0' })],
    ['A11: no audience', forgeToken(HEADER, { ...sent, aud: undefined })],
    ['A11: a list of audiences with ours', forgeToken(HEADER, { ...sent, aud: [sent.aud, `${sent.aud}/token`] })],
    ['A11: another typ', forgeToken({ alg: 'HS256', typ: 'at+jwt' }, sent)],
    ['A11: no exp', forgeToken(HEADER, withoutExp)],
    ['A11: exp as a string', forgeToken(HEADER, { ...sent, exp: String(sent.exp) })],
    ['A11: exp 1e300', forgeToken(HEADER, JSON.stringify(sent).replace(`"exp":${sent.exp}`, '"exp":1e300'))],
    ['A11: exp in halves', forgeToken(HEADER, { ...sent, exp: sent.exp - 0.5 })],
    ['A11: exp longer than an access token lives', forgeToken(HEADER, { ...sent, exp: NOW + 1801 })],
    ['A11: exp before iat', forgeToken(HEADER, { ...sent, iat: NOW + 4, exp: NOW + 3 })],
    ['A11: iat in the future', forgeToken(HEADER, { ...sent, iat: NOW + 6, exp: NOW + 60 })],
    ['A11: iat in milliseconds', forgeToken(HEADER, { ...sent, iat: NOW * 1000 })],
    ['A11: no iat', forgeToken(HEADER, { ...sent, iat: undefined })],
    ['A11: auth_time after iat', forgeToken(HEADER, { ...sent, auth_time: NOW + 1 })],
    ['A11: auth_time more than 366 days ago', forgeToken(HEADER, { ...sent, auth_time: NOW + 1799 - 366 * 86_400 })],
    ['A11: nbf in the future', forgeToken(HEADER, { ...sent, nbf: NOW + 60 })],
    ['A11: sub as a number', forgeToken(HEADER, { ...sent, sub: 1 })],
    ['A11: no jti', forgeToken(HEADER, { ...sent, jti: undefined })],
    ['A11: no epoch', forgeToken(HEADER, { ...sent, epoch: undefined })],
    ['A14: signed by another deployment', forgeToken(HEADER, sent, Buffer.alloc(32, 1))],
    ['A14: signed with an empty key', forgeToken(HEADER, sent, Buffer.alloc(0))],
    ['a payload that is a list', forgeToken(HEADER, [sent])],
    ['a payload that is null', forgeToken(HEADER, null)],
    ['a payload that is not JSON', forgeToken(HEADER, 'foo')],
    ['an empty payload', `${header}..${signature}`],
    ['an empty string', ''],
    ['two dots', '..'],
    ['four parts', `${good}.${signature}`],
    ['a token too long to be ours', forgeToken(HEADER, { ...sent, email: 'a'.repeat(4096) })],
  ]

  it.each(vectors)('%s', async (_, token) => {
    expect(valid(await check(token))).toBe(false)
  })

  it('A12: with a claim twice can only come from us, and the last one counts', async () => {
    const twice = JSON.stringify(sent).replace('"exp":', '"exp":1,"exp":')
    expect(await check(forgeToken(HEADER, twice))).toMatchObject({ valid: true, claims: { exp: sent.exp } })
    const expired = JSON.stringify(sent).replace(/"exp":\d+/, (exp) => `${exp},"exp":1`)
    expect(valid(await check(forgeToken(HEADER, expired)))).toBe(false)
  })
})

describe('a token of one kind', () => {
  const kinds = ['access', 'refresh', 'verify', 'reset'] as const
  const pairs = kinds.flatMap((made) => kinds.map((used) => [made, used] as const))

  it.each(pairs)('A10: made as %s, is taken as %s only if that is the same', async (made, used) => {
    const token = await signToken(made, base, config)
    expect(valid(await check(token, used))).toBe(made === used)
  })

  it.each([
    ['access', 1800],
    ['refresh', 31_536_000],
    ['verify', 86_400],
    ['reset', 86_400],
  ] as const)('%s may live %d seconds and not one more', async (kind, longest) => {
    const withLife = (life: number) => signToken(kind, { ...base, exp: NOW + life }, config)
    expect(valid(await check(await withLife(longest), kind))).toBe(true)
    expect(valid(await check(await withLife(longest + 1), kind))).toBe(false)
  })
})

describe('several keys', () => {
  const keys = [7, 1, 2].map((fill) => ({ secret: new Uint8Array(32).fill(fill) }))

  it('all verify, and the first signs', async () => {
    for (const { secret } of keys) {
      const token = forgeToken(HEADER, sent, Buffer.from(secret))
      expect(valid(await verifyToken(token, 'access', { ...config, tokenKeys: keys }, NOW))).toBe(true)
    }
    expect(await signToken('access', base, { ...config, tokenKeys: keys })).toBe(good)
  })

  it('import once: a check takes no further import', async () => {
    const tokenKeys = [{ secret: crypto.randomBytes(32) }]
    const own = { ...config, tokenKeys: tokenKeys.map(({ secret }) => ({ secret: new Uint8Array(secret) })) }
    const token = await signToken('access', base, own)
    own.tokenKeys[0]?.secret.fill(0)
    expect(valid(await verifyToken(token, 'access', own, NOW))).toBe(true)
  })
})
