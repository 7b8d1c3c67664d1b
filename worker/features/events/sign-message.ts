import { unixSeconds } from '../../platform/clock.ts'

/** What is before the secret of a webhook (Standard Webhooks, "Symmetric signatures"). */
const PREFIX = 'whsec_'
/** Bytes of a new secret; the specification allows 24 to 64. */
const SECRET_BYTES = 32

/** A new secret, as its owner is shown it. */
export function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')
}

/**
 * The headers that sign a message to a webhook (Standard Webhooks, "Webhook headers"): `id` is the same each time that
 * the message is sent, `at` (milliseconds) when this was. @throws where `secret` is not one of {@link newSecret}.
 */
export async function signMessage(secret: string, id: string, at: number, body: string) {
  const timestamp = String(unixSeconds(at))
  const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signature = Buffer.from(await crypto.subtle.sign('HMAC', key, signed)).toString('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
