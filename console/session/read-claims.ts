import { claimsOf } from '../../client/auth/session.ts'

/** What the console reads of an access token; only the server verifies it. */
export interface Claims {
  id: string
  email: string
  permissions: readonly string[]
  /** When it ends, in ms since 1970. */
  ends: number
  /** When the password or passkey was entered, in ms since 1970; 0 if the token does not say. */
  loggedInAt: number
}

/** The claims of a JSON Web Token, not verified; undefined for another text. */
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
