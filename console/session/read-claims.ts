/** What the console reads of an access token; the server alone checks it. */
export interface Claims {
  id: string
  email: string
  permissions: readonly string[]
  /** When it ends, in ms since 1970. */
  ends: number
}

/** The claims of a JSON Web Token (RFC 7519), unchecked; undefined where it is none. */
export function readClaims(jwt: string): Claims | undefined {
  try {
    const part = jwt.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof payload !== 'object' || payload === null) return undefined
    const { sub, email, permissions, exp } = { sub: '', email: '', permissions: [], exp: 0, ...payload }
    return {
      id: String(sub),
      email: String(email),
      permissions: Array.isArray(permissions) ? permissions.map(nameOf) : [],
      ends: Number(exp) * 1000,
    }
  } catch {
    return undefined
  }
}

function nameOf(permission: unknown): string {
  return typeof permission === 'object' && permission !== null && 'name' in permission ? String(permission.name) : ''
}
