import { SignJWT } from 'jose'
import type { Config } from '../../platform/config/config.ts'
import { audienceOf, TOKEN_KINDS, type TokenClaims, type TokenKind } from './token-claims.ts'
import { tokenKeysOf } from './token-keys-of.ts'

/** Signs a token with the first key of its kind: a compact JWS, HS256, header exactly `alg` and `typ` (docs/behaviour/tokens.md). */
export async function signToken(
  kind: TokenKind,
  claims: TokenClaims & Record<string, unknown>,
  config: Pick<Config, 'baseUrl' | 'tokenKeys'>,
): Promise<string> {
  const [key] = await tokenKeysOf(config.tokenKeys, TOKEN_KINDS[kind].keys)
  if (!key) throw new Error('There is no key to sign with.')
  const issuer = config.baseUrl.origin
  return await new SignJWT({ ...claims, iss: issuer, aud: audienceOf(kind, issuer) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(key)
}
