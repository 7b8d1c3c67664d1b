import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { TokenKey } from '../../platform/config/token-keys.ts'
import { tokenKeysOf } from './token-keys-of.ts'

/** A challenge that was answered, and until when it would have been good; milliseconds. */
export interface AnsweredChallenge {
  challenge: string
  expiresAt: number
}

/** What a challenge is for: which keys sign it, and what is signed with it. */
export interface Purpose {
  use: 'passkey' | 'proof'
  text: string
}

/** How long a challenge can be answered; milliseconds. Browsers receive the same. */
export const CHALLENGE_LIFETIME = LIFETIMES.challenge * 1000

const TIME_BYTES = 8
const RANDOM_BYTES = 16
const HMAC_BYTES = 32

/**
 * A new challenge in base64url: until when it is good, 128 random bits, and an HMAC of both and of its purpose, so that
 * nothing is stored for those that nobody answers. `now` in milliseconds.
 */
export async function makeChallenge(keys: TokenKey[], purpose: Purpose, now: number): Promise<string> {
  const [key] = await tokenKeysOf(keys, purpose.use)
  if (!key) throw new Error('There is no key to sign with.')
  const head = new Uint8Array(TIME_BYTES + RANDOM_BYTES)
  new DataView(head.buffer).setBigUint64(0, BigInt(now + CHALLENGE_LIFETIME))
  crypto.getRandomValues(head.subarray(TIME_BYTES))
  const hmac = await crypto.subtle.sign('HMAC', key, signed(head, purpose.text))
  return Buffer.concat([head, new Uint8Array(hmac)]).toString('base64url')
}

/** What a challenge of ours is that is still good, or nothing. `now` in milliseconds. */
export async function checkChallenge(
  keys: TokenKey[],
  purpose: Purpose,
  challenge: string,
  now: number,
): Promise<AnsweredChallenge | undefined> {
  const bytes = Uint8Array.from(Buffer.from(challenge, 'base64url'))
  if (bytes.length !== TIME_BYTES + RANDOM_BYTES + HMAC_BYTES) return undefined
  // One spelling each: it is good once.
  if (Buffer.from(bytes).toString('base64url') !== challenge) return undefined
  const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  const expiresAt = Number(new DataView(bytes.buffer).getBigUint64(0))
  if (expiresAt <= now) return undefined
  const message = signed(head, purpose.text)
  for (const key of await tokenKeysOf(keys, purpose.use)) {
    if (await crypto.subtle.verify('HMAC', key, bytes.subarray(head.length), message)) return { challenge, expiresAt }
  }
  return undefined
}

function signed(head: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat([head, Buffer.from(text)]))
}
