/** One HS256 key of TOKEN_JWKS. */
export interface TokenKey {
  secret: Uint8Array<ArrayBuffer>
}

const MIN_KEY_BYTES = 32
const MAX_KEYS = 8

/**
 * The keys of a secret JSON Web Key Set (RFC 7517): the first signs, all verify.
 * @throws {Error} saying what is wrong, without any of the key material.
 */
export function parseTokenKeys(text: string): TokenKey[] {
  let set: unknown
  try {
    set = JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
  if (typeof set !== 'object' || set === null || !('keys' in set) || !Array.isArray(set.keys)) {
    throw new Error('is not a JSON Web Key Set with a list "keys"')
  }
  if (set.keys.length < 1 || set.keys.length > MAX_KEYS) throw new Error(`must hold 1 to ${MAX_KEYS} keys`)
  const seen = new Set<string>()
  const kids = new Set<string>()
  return set.keys.map((key: unknown, index) => {
    const place = `key ${index + 1}`
    if (typeof key !== 'object' || key === null) throw new Error(`${place} is not an object`)
    const jwk: Record<string, unknown> = { ...key }
    if (jwk.kty !== 'oct') throw new Error(`${place} is not of kty "oct"`)
    if (jwk.alg !== undefined && jwk.alg !== 'HS256') throw new Error(`${place} is not for alg "HS256"`)
    if (jwk.use !== undefined && jwk.use !== 'sig') throw new Error(`${place} is not for use "sig"`)
    if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'))) {
      throw new Error(`${place} has key_ops without "verify"`)
    }
    if (typeof jwk.k !== 'string' || !/^[A-Za-z0-9_-]+$/.test(jwk.k)) throw new Error(`${place} has no base64url "k"`)
    const secret = Uint8Array.from(Buffer.from(jwk.k, 'base64url'))
    // With unused bits set in its last character, one key could be listed twice.
    if (Buffer.from(secret).toString('base64url') !== jwk.k) throw new Error(`${place} has a "k" of loose encoding`)
    if (secret.length < MIN_KEY_BYTES) throw new Error(`${place} is shorter than ${MIN_KEY_BYTES} bytes`)
    if (seen.has(jwk.k)) throw new Error(`${place} repeats an earlier key`)
    seen.add(jwk.k)
    if (typeof jwk.kid === 'string') {
      if (kids.has(jwk.kid)) throw new Error(`${place} repeats an earlier kid`)
      kids.add(jwk.kid)
    }
    return { secret }
  })
}
