import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { ROLES } from '../../../contract/scopes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { User } from './sql/users.ts'
import type { KeyUse } from './token-keys-of.ts'

/** What a token is for. `aud` tells the kinds apart, and none is accepted as another (RFC 8725, 3.12). */
export type TokenKind = 'access' | 'refresh' | 'verify' | 'reset' | 'email'

/** For each kind the path that its audience names, the longest lifetime a token of it may claim, and whose keys sign. */
export const TOKEN_KINDS: Readonly<Record<TokenKind, { path: string; longest: number; keys: KeyUse }>> = {
  access: { path: '/v0', longest: LIFETIMES.access, keys: 'access' },
  refresh: { path: '/v0/token', longest: LIFETIMES.longestRefresh, keys: 'refresh' },
  verify: { path: '/v0/user/verify', longest: LIFETIMES.mailLink, keys: 'mail' },
  reset: { path: '/v0/user/password', longest: LIFETIMES.mailLink, keys: 'mail' },
  email: { path: '/v0/user/email', longest: LIFETIMES.mailLink, keys: 'mail' },
}

/** The claims this service decides by; times in whole seconds. */
export interface TokenClaims {
  /** User id. */
  sub: string
  jti: string
  iat: number
  exp: number
  /** When the password was last given; a token made from another has the same. */
  auth_time: number
  /**
   * How often all tokens of this user had been ended when this one was made. `iat` could not say it:
   * it counts whole seconds, and a password can change between two tokens of one second.
   */
  epoch: number
  /**
   * Of an access token, and of a refresh token that replaced another: its session, which has the `jti` of its first
   * refresh token.
   */
  session?: string
  /** Of a refresh token that replaced another: how many there were before it. */
  generation?: number
}

/** The session that a refresh token is of. */
export function sessionOf({ session, jti }: TokenClaims): string {
  return session ?? jti
}

/** The claims that describe the user to the client: a permission is an object with a name (docs/behaviour/tokens.md). */
export function profileClaims(user: User) {
  const permissions = ROLES[user.role].map((name) => ({ name }))
  return {
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    role: { name: user.role, permissions },
    permissions,
    status: user.status,
  }
}

/** An account as answers show it; `createdAt` in Unix seconds. */
export function describeUser(user: User) {
  return { id: user.id, ...profileClaims(user), createdAt: unixSeconds(user.createdAt) }
}

/** The audience of tokens of this kind, at the service whose origin is `issuer`. */
export function audienceOf(kind: TokenKind, issuer: string): string {
  return issuer + TOKEN_KINDS[kind].path
}
