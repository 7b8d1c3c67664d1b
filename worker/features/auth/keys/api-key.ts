/** How every key begins: so that people, logs and secret scanners recognise one. */
const PREFIX = 'hookline_'
const SHAPE = /^hookline_[\w-]{43}$/

/** A new key: 256 random bits, base64url. */
export function newApiKey(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** Whether a bearer token is a key, by its beginning; a JSON Web Token never is. */
export function isApiKeyShaped(token: string): boolean {
  return token.startsWith(PREFIX)
}

/** What is stored of a key: its SHA-256, hex. Its 256 random bits need no slow hash. `undefined` for no key of ours. */
export async function hashApiKey(key: string): Promise<string | undefined> {
  if (!SHAPE.test(key)) return undefined
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))).toString('hex')
}
