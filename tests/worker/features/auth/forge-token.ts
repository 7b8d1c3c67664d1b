import crypto from 'node:crypto'

/** The one key of the test configuration. */
export const KEY = Buffer.alloc(32, 7)

/** What a real header is. */
export const HEADER = { alg: 'HS256', typ: 'JWT' }

/** base64url of a text, or of a value as JSON. */
export function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** The parts of a token, decoded. */
export function decode(token: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
  const [header = '', payload = ''] = token.split('.')
  const read = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: read(header), payload: read(payload) }
}

/**
 * A compact JWS with any header and payload, signed with the right key unless told otherwise: what only somebody who
 * has the key could send, or a confused verifier would take for it.
 */
export function forgeToken(header: unknown, payload: unknown, key: Buffer = KEY, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(payload)}`
  return `${signed}.${crypto.createHmac(hash, key).update(signed).digest('base64url')}`
}
