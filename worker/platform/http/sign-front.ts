import crypto from 'node:crypto'

/**
 * The value of `Hookline-Client-IP` for an address, as a proxy in front sends it: `<address>;<time>;<signature>`, with
 * the time in Unix seconds and the HMAC-SHA-256 of the text before it in base64url. `now` in milliseconds.
 */
export function signFront(address: string, key: Uint8Array, now: number): string {
  const signed = `${address};${Math.floor(now / 1000)}`
  return `${signed};${frontSignature(signed, key).toString('base64url')}`
}

/** The HMAC-SHA-256 of an address and its time. */
export function frontSignature(signed: string, key: Uint8Array): Buffer {
  return crypto.createHmac('sha256', key).update(signed).digest()
}
