import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import type { TokenKey } from '../../platform/config/token-keys.ts'
import { readCapped } from '../../platform/flow/read-capped.ts'
import { JSON_TYPE } from '../../platform/http/media-types.ts'
import { openSecret } from './sealed-secrets.ts'
import { signMessage } from './sign-message.ts'

/** Bytes that are read of an answer. */
const MAX_ANSWER = 64 * 1024

/** What sending works with; `clock` in milliseconds. */
export interface SenderContext {
  db: D1Database
  /** Fetches from public addresses only; of this machine as well where the operator allows it. */
  fetch: (url: string, init: RequestInit) => Promise<Response>
  clock: () => number
  /** Of which the keys are made that seal the secrets of webhooks. */
  keys: TokenKey[]
}

/** A message to a webhook: `secret` as it is stored, `id` the same each time that it is sent. */
interface Message {
  webhookId: string
  url: string
  secret: string
  id: string
  body: string
}

/** Why a delivery failed; `gone` where the receiver wants no more messages. */
export interface FailedDelivery {
  problem: string
  gone: boolean
}

/** Sends a message once. Any 2xx accepts it; a redirect is not followed, and is a failure. */
export async function sendMessage(
  { fetch, clock, keys }: Pick<SenderContext, 'fetch' | 'clock' | 'keys'>,
  { webhookId, url, secret, id, body }: Message,
): Promise<'taken' | FailedDelivery> {
  const opened = await openSecret(keys, webhookId, secret)
  if (!opened) {
    console.error('webhook_secret_unreadable', webhookId)
    return { problem: 'Its secret can no longer be read. Delete this webhook and add it again.', gone: false }
  }
  try {
    const headers = { ...(await signMessage(opened.secret, id, clock(), body)), 'Content-Type': JSON_TYPE }
    const signal = AbortSignal.timeout(LIFETIMES.webhookAnswer * 1000)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    // The body is ignored; some of it is read so that the connection can be used again.
    await readCapped(response, MAX_ANSWER, () => new Error('too long')).catch(() => undefined)
    if (response.ok) return 'taken'
    return { problem: `It answered ${response.status}.`, gone: response.status === 410 }
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    // No more than that: nobody may probe a network through this service.
    return {
      problem: late ? `It did not answer within ${inWords(LIFETIMES.webhookAnswer)}.` : 'It could not be reached.',
      gone: false,
    }
  }
}
