import { isRecord } from '../../client/http/parse-json.ts'

/** What a JSON Web Token says of itself (RFC 7519); the service verifies it, not we. */
export interface Claims {
  account?: string
  email?: string
  /** Unix seconds. */
  expiresAt?: number
}

/** The claims of a token; nothing of text that is none. */
export function readClaims(token: string): Claims {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    if (!isRecord(claims)) return {}
    const { sub, email, exp } = claims
    return {
      ...(typeof sub === 'string' && { account: sub }),
      ...(typeof email === 'string' && { email }),
      ...(typeof exp === 'number' && { expiresAt: exp }),
    }
  } catch {
    return {}
  }
}
