import { isRecord } from '../../client/http/parse-json.ts'

/** Claims of a JSON Web Token (RFC 7519). Only the service verifies it. */
export interface Claims {
  account?: string
  email?: string
  /** Unix seconds. */
  expiresAt?: number
}

/** The claims of a token; empty if the text is no token. */
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
