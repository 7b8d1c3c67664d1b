import type { TokenKey } from '../config/token-keys.ts'

const imported = new WeakMap<TokenKey[], CryptoKey[]>()

/** The keys as WebCrypto takes them, imported once in an isolate: the import costs more than the check of a token. */
export async function importTokenKeys(keys: TokenKey[]): Promise<CryptoKey[]> {
  const known = imported.get(keys)
  if (known) return known
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const fresh = await Promise.all(
    keys.map((key) => crypto.subtle.importKey('raw', key.secret, algorithm, false, ['sign', 'verify'])),
  )
  // The keys are kept, not the promise: a promise begun by one request must not be awaited by another.
  imported.set(keys, fresh)
  return fresh
}
