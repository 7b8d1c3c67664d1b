import { claimsOf } from '../../client/auth/session.ts'

/** What the console reads of an access token; the server alone checks it. */
export interface Claims {
  id: string
  email: string
  permissions: readonly string[]
  /** When it ends, in ms since 1970. */
  ends: number
  /** When the password or passkey was given, in ms since 1970; 0 where it does not say. */
  loggedInAt: number
}

/** What a JSON Web Token says, unchecked; undefined where it is none. */
export function readClaims(jwt: string): Claims | undefined {
  const claims = claimsOf(jwt)
  if (!claims) return undefined
  const none = { sub: '', email: '', permissions: [], exp: 0, auth_time: 0 }
  const { sub, email, permissions, exp, auth_time } = { ...none, ...claims }
  return {
    id: String(sub),
    email: String(email),
    permissions: Array.isArray(permissions) ? permissions.map(nameOf) : [],
    ends: Number(exp) * 1000,
    loggedInAt: Number(auth_time) * 1000,
  }
}

function nameOf(permission: unknown): string {
  return typeof permission === 'object' && permission !== null && 'name' in permission ? String(permission.name) : ''
}
