import type { Config } from '../../platform/config/config.ts'
import { signToken } from './sign-token.ts'
import type { User } from './sql/users.ts'
import { profileClaims } from './token-claims.ts'

/** An identifier that cannot be guessed: 128 random bits, base64url. */
export function newTokenId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
}

/** Signs an access or refresh token for `user`; times in seconds. */
export async function issueToken(
  kind: 'access' | 'refresh',
  user: User,
  token: { jti: string; iat: number; lifetime: number; authTime: number; session?: string; generation?: number },
  config: Pick<Config, 'baseUrl' | 'tokenKeys'>,
): Promise<string> {
  const claims = {
    ...profileClaims(user),
    sub: user.id,
    jti: token.jti,
    iat: token.iat,
    exp: token.iat + token.lifetime,
    auth_time: token.authTime,
    epoch: user.tokenEpoch,
    ...(token.session === undefined ? {} : { session: token.session }),
    ...(token.generation === undefined ? {} : { generation: token.generation }),
  }
  return await signToken(kind, claims, config)
}
