import type { TokenKey } from '../../platform/config/token-keys.ts'
import { deriveForUse } from '../auth/token-keys-of.ts'

/** How a sealed secret begins. */
const VERSION = 'v1'
const IV_BYTES = 12
/** Bytes of a key's id: enough to distinguish eight. */
const ID_BYTES = 6

interface SealingKey {
  id: string
  key: CryptoKey
}

const made = new WeakMap<TokenKey[], SealingKey[]>()

/**
 * Seals the signing secret of a webhook for the database: `v1.<key id>.<IV, ciphertext and tag>`, AES-256-GCM by a key
 * that HKDF derives from the first of the key set, bound to the webhook's id; base64url.
 */
export async function sealSecret(keys: TokenKey[], webhookId: string, secret: string): Promise<string> {
  const [first] = await sealingKeys(keys)
  if (!first) throw new Error('There is no key to seal with.')
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const text = new TextEncoder().encode(secret)
  const sealed = await crypto.subtle.encrypt(algorithm(iv, webhookId), first.key, text)
  return `${VERSION}.${first.id}.${Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64url')}`
}

/**
 * The secret that {@link sealSecret} sealed; `outdated` where another key of the set than the first did. `undefined` where
 * no key of the set sealed it, or it is another webhook's.
 */
export async function openSecret(
  keys: TokenKey[],
  webhookId: string,
  stored: string,
): Promise<{ secret: string; outdated: boolean } | undefined> {
  const [version, id, data, ...rest] = stored.split('.')
  const all = await sealingKeys(keys)
  const place = all.findIndex((key) => key.id === id)
  const bytes = Buffer.from(data ?? '', 'base64url')
  const key = all[place]?.key
  if (version !== VERSION || !key || rest.length > 0 || bytes.length <= IV_BYTES) return undefined
  try {
    const iv = Uint8Array.from(bytes.subarray(0, IV_BYTES))
    const text = await crypto.subtle.decrypt(algorithm(iv, webhookId), key, bytes.subarray(IV_BYTES))
    return { secret: new TextDecoder().decode(text), outdated: place > 0 }
  } catch {
    return undefined
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, webhookId: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(webhookId) }
}

async function sealingKeys(keys: TokenKey[]): Promise<SealingKey[]> {
  const known = made.get(keys)
  if (known) return known
  const fresh = await Promise.all(
    keys.map(async ({ secret }): Promise<SealingKey> => {
      const bytes = await deriveForUse(secret, 'webhook', 256)
      const id = await deriveForUse(secret, 'webhook id', ID_BYTES * 8)
      return {
        id: Buffer.from(id).toString('base64url'),
        key: await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
      }
    }),
  )
  // The keys are stored, not the promise: a promise begun by one request must not be awaited by another.
  made.set(keys, fresh)
  return fresh
}
