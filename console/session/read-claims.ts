import { claimsOf } from '../../client/auth/session.ts'

/** What the console reads of an access token; the server alone checks it. */
export interface Claims {
  id: string
  email: string
  permissions: readonly string[]
  /** When it ends, in ms since 1970. */
  ends: number
}

/** What a JSON Web Token says, unchecked; undefined where it is none. */
export function readClaims(jwt: string): Claims | undefined {
  const claims = claimsOf(jwt)
  if (!claims) return undefined
  const { sub, email, permissions, exp } = { sub: '', email: '', permissions: [], exp: 0, ...claims }
  return {
    id: String(sub),
    email: String(email),
    permissions: Array.isArray(permissions) ? permissions.map(nameOf) : [],
    ends: Number(exp) * 1000,
  }
}

function nameOf(permission: unknown): string {
  return typeof permission === 'object' && permission !== null && 'name' in permission ? String(permission.name) : ''
}
