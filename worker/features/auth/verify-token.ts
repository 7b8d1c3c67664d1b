import { base64url, errors, type JWTPayload, jwtVerify } from 'jose'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import { audienceOf, TOKEN_KINDS, type TokenClaims, type TokenKind } from './token-claims.ts'
import { tokenKeysOf } from './token-keys-of.ts'

/** `reason` is for the log; an answer of the API never says which check failed. */
export type Verdict =
  | {
      valid: true
      claims: TokenClaims
      /** Signed by another key than would sign today: it is replaced when it is used. */
      outdated: boolean
    }
  | { valid: false; reason: string }

const HEADER = base64url.encode('{"alg":"HS256","typ":"JWT"}')
const SHAPE = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/
const MAX_TOKEN = 4096
/** Another data centre's clock may be ahead by this many seconds. */
const CLOCK_SKEW = 5

/**
 * Checks a token as RFC 8725 asks: pinned algorithm, exact header, canonical encoding, issuer, audience of
 * its kind, and times that are whole, in order and no further apart than the kind allows.
 * Does not ask whether it was revoked. `now` in seconds.
 */
export async function verifyToken(
  token: string,
  kind: TokenKind,
  config: Pick<Config, 'baseUrl' | 'tokenKeys'>,
  now: number,
): Promise<Verdict> {
  const malformed = findMalformation(token)
  if (malformed) return { valid: false, reason: malformed }
  const issuer = config.baseUrl.origin
  const options = {
    algorithms: ['HS256'],
    issuer,
    audience: audienceOf(kind, issuer),
    currentDate: new Date(now * 1000),
    requiredClaims: ['sub', 'jti', 'iat', 'exp', 'auth_time', 'epoch'],
  }
  const keys = await tokenKeysOf(config.tokenKeys, TOKEN_KINDS[kind].keys)
  for (const [index, key] of keys.entries()) {
    try {
      const { payload } = await jwtVerify(token, key, options)
      return checkClaims(payload, kind, now, index > 0)
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JOSEError) return { valid: false, reason: error.code }
      throw error
    }
  }
  return { valid: false, reason: 'signature' }
}

/**
 * `jose` forgives padding, line ends and unused bits in the last character, so one token would have many
 * spellings; here it has one. The header is compared as text: ours is the only one there is.
 */
function findMalformation(token: string): string | undefined {
  if (token.length > MAX_TOKEN) return 'too_long'
  const [, header, payload, signature] = SHAPE.exec(token) ?? []
  if (!header || !payload || !signature) return 'shape'
  if (header !== HEADER) return 'header'
  if (!isCanonical(payload) || !isCanonical(signature)) return 'encoding'
  return undefined
}

function isCanonical(part: string): boolean {
  try {
    return base64url.encode(base64url.decode(part)) === part
  } catch {
    return false
  }
}

function checkClaims(payload: JWTPayload, kind: TokenKind, now: number, outdated: boolean): Verdict {
  const { sub, jti, iat, exp, aud, auth_time, epoch, session, generation } = payload
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof aud !== 'string') {
    return { valid: false, reason: 'claim_type' }
  }
  if (!isTime(iat) || !isTime(exp) || !isTime(auth_time) || !isTime(epoch)) {
    return { valid: false, reason: 'claim_type' }
  }
  if (iat > now + CLOCK_SKEW || auth_time > iat) return { valid: false, reason: 'from_the_future' }
  if (exp <= iat || exp - iat > TOKEN_KINDS[kind].longest || exp > auth_time + LIFETIMES.sinceLogin) {
    return { valid: false, reason: 'lifetime' }
  }
  const claims: TokenClaims = { sub, jti, iat, exp, auth_time, epoch }
  if (typeof session === 'string') claims.session = session
  if (isTime(generation)) claims.generation = generation
  return { valid: true, claims, outdated }
}

/** A time in seconds, or a count: whole, and no larger than a time may be. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 33
}
