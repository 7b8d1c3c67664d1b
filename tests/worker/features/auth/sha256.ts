import crypto from 'node:crypto'

/** The SHA-256 of a text, hex: how attempts name an email address. */
export function sha256(text: string): string {
  return crypto.createHash('sha256').update(text).digest('hex')
}
