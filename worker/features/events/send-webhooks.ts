import type { Env } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import type { TokenKey } from '../../platform/config/token-keys.ts'
import { selectSweepPosition, updateSweepPosition } from '../../platform/d1/sweep-positions.ts'
import { readCapped } from '../../platform/flow/read-capped.ts'
import { JSON_TYPE } from '../../platform/http/media-types.ts'
import { eventBody } from './event-text.ts'
import { openSecret, sealSecret } from './sealed-secrets.ts'
import { signMessage } from './sign-message.ts'
import {
  claimDelivery,
  type Delivery,
  makeDeliveries,
  noteNotTaken,
  noteTaken,
  selectDue,
  sweepDeliveries,
} from './sql/deliveries.ts'
import { selectSecrets, updateSecrets } from './sql/webhooks.ts'
import { leadsToLoopback } from './webhook-url.ts'

/** A receiver has so long to answer, in milliseconds. */
const TIMEOUT = 10_000
/** Bytes that are read of an answer. */
const MAX_ANSWER = 64 * 1024
/** Seconds from one attempt at a message to the next; after the last it is given up (Standard Webhooks, "Retry schedule"). */
const RETRY_AFTER = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** A webhook that took nothing for so long is turned off, in milliseconds. */
const OFF_AFTER = 3 * 86_400_000
/** Messages sent to one webhook, and all together, in one run. */
const PER_WEBHOOK = 20
const PER_RUN = 50
/** A run takes on nothing new after so long, in milliseconds. */
const LONGEST = 20_000
/** As long as a message may be under way before another run sends it again: longer than any takes. */
const CLAIM = 60_000

/** What sending works with; `clock` in milliseconds. */
export interface SenderContext {
  db: D1Database
  /** Fetches from public addresses only; of this machine as well where the operator allows it. */
  fetch: (url: string, init: RequestInit) => Promise<Response>
  clock: () => number
  /** Of which the keys are made that seal the secrets of webhooks. */
  keys: TokenKey[]
}

/** Tells webhooks what happened since they were last told. One run does a bounded part, and may run twice at once. */
export async function sendWebhooks(context: SenderContext): Promise<void> {
  const { db, clock } = context
  const end = clock() + LONGEST
  await makeDeliveries(db, clock())
  const due = await selectDue(db, clock(), { perWebhook: PER_WEBHOOK, limit: PER_RUN })
  const byWebhook = Map.groupBy(due, ({ webhookId }) => webhookId)
  await Promise.all([...byWebhook.values()].map(async (messages) => await sendInTurn(context, messages, end)))
}

/** What {@link sendWebhooks} works with here. */
export function senderContext(env: Env, clock: () => number): SenderContext {
  const { webhookLoopback, tokenKeys: keys } = readConfig(env)
  return {
    db: env.DB,
    clock,
    keys,
    fetch: async (url, init) => {
      if (leadsToLoopback(url) && !webhookLoopback) throw new Error('it is an address of this machine')
      // Beside Cloudflare a network of its own, which leads to public addresses alone, stands for the platform's own rule.
      const publicFetch = leadsToLoopback(url) ? undefined : env.PUBLIC_FETCH
      return await (publicFetch ? publicFetch.fetch(url, init) : fetch(url, init))
    },
  }
}

/** Webhooks whose secrets are looked at in one run. */
const SECRETS_PER_RUN = 200
/** Up to which webhook that has come. */
const POSITION = 'webhooks/secrets'

/**
 * Seals anew what another key of the set sealed than would today, or none, some webhooks at a time and all in turn: then
 * that key can be taken out of the set.
 */
export async function renewSecrets({ db, keys }: Pick<SenderContext, 'db' | 'keys'>): Promise<void> {
  const position = await selectSweepPosition(db, POSITION)
  const rows = await selectSecrets(db, position, SECRETS_PER_RUN)
  const renewed = await Promise.all(
    rows.map(async ({ id, secret }) => {
      const opened = await openSecret(keys, id, secret)
      return opened?.outdated ? [{ id, from: secret, to: await sealSecret(keys, id, opened.secret) }] : []
    }),
  )
  await updateSecrets(db, renewed.flat())
  const next = rows.length < SECRETS_PER_RUN ? '' : (rows.at(-1)?.id ?? '')
  if (next !== position) await updateSweepPosition(db, POSITION, next)
}

/** Deletes what waits for events that are not kept any more. */
export const sweepWebhooks = sweepDeliveries

/** The messages to one webhook, one after another, up to the first that it does not take. */
async function sendInTurn(context: SenderContext, messages: readonly Delivery[], end: number): Promise<void> {
  for (const message of messages) {
    if (context.clock() >= end) return
    if (!(await claimDelivery(context.db, message, context.clock() + CLAIM))) continue
    const answer = await send(context, message)
    if (answer === 'taken') await noteTaken(context.db, message)
    else {
      await postpone(context, message, answer)
      return
    }
  }
}

async function postpone({ db, clock }: SenderContext, message: Delivery, answer: NotTaken): Promise<void> {
  const now = clock()
  const seconds = RETRY_AFTER[message.attempts]
  const retryAt = seconds === undefined ? undefined : now + 1000 * seconds
  const { problem, gone } = answer
  await noteNotTaken(db, message, { problem, retryAt, offBefore: now - OFF_AFTER, offAtOnce: gone }, now)
}

/** Why a receiver did not take a message; `gone` where it wants none any more. */
interface NotTaken {
  problem: string
  gone: boolean
}

/** Sends a message once. Any 2xx takes it; a redirect is not followed and does not. */
async function send({ fetch, clock, keys }: SenderContext, message: Delivery): Promise<'taken' | NotTaken> {
  const { webhookId, seq, type, at, data, url } = message
  const body = eventBody(type, at, data)
  const opened = await openSecret(keys, webhookId, message.secret)
  if (!opened) {
    console.error('webhook_secret_unreadable', webhookId)
    return { problem: 'Its secret can no longer be read. Delete this webhook and add it again.', gone: false }
  }
  try {
    const headers = { ...(await signMessage(opened.secret, `evt_${seq}`, clock(), body)), 'Content-Type': JSON_TYPE }
    const signal = AbortSignal.timeout(TIMEOUT)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    // What it says beside its status is nothing to us; some of it is read so that the connection can be used again.
    await readCapped(response, MAX_ANSWER, () => new Error('too long')).catch(() => undefined)
    if (response.ok) return 'taken'
    return { problem: `It answered ${response.status}.`, gone: response.status === 410 }
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    // No more than that: what a network says of an address is nobody's to ask through us.
    return { problem: late ? 'It did not answer within 10 seconds.' : 'It could not be reached.', gone: false }
  }
}
