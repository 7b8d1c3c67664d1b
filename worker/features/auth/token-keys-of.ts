import type { TokenKey } from '../../platform/config/token-keys.ts'

/** What a key is used for. Access tokens are signed by the key set itself; each other use has keys of its own. */
export type KeyUse = 'access' | 'refresh' | 'mail' | 'passkey' | 'proof'

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const
const known = new WeakMap<TokenKey[], Map<KeyUse, CryptoKey[]>>()

/**
 * The keys of a use for WebCrypto, in the order of the key set: the set itself for access tokens, for all else
 * what HKDF-SHA-256 (RFC 5869) derives from it for that use. Made once in an isolate: that costs more than a check.
 */
export async function tokenKeysOf(keys: TokenKey[], use: KeyUse): Promise<CryptoKey[]> {
  const uses = known.get(keys) ?? new Map<KeyUse, CryptoKey[]>()
  const made = uses.get(use)
  if (made) return made
  const fresh = await Promise.all(
    keys.map(({ secret }) => (use === 'access' ? importKey(secret) : derive(secret, use))),
  )
  // The keys are stored, not the promise: a promise begun by one request must not be awaited by another.
  uses.set(use, fresh)
  known.set(keys, uses)
  return fresh
}

async function derive(secret: BufferSource, use: KeyUse): Promise<CryptoKey> {
  return importKey(await deriveForUse(secret, use, 256))
}

/** So many bits that HKDF-SHA-256 (RFC 5869) derives from a key of the set for one use. */
export async function deriveForUse(secret: BufferSource, use: string, bits: number): Promise<ArrayBuffer> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode(`hookline ${use}`)
  const salt = new Uint8Array(32)
  return await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, base, bits)
}

function importKey(secret: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify'])
}
