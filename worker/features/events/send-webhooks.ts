import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Env } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { selectSweepPosition, updateSweepPosition } from '../../platform/d1/sweep-positions.ts'
import { eventBody } from './event-text.ts'
import { openSecret, sealSecret } from './sealed-secrets.ts'
import { type FailedDelivery, type SenderContext, sendMessage } from './send-message.ts'
import {
  claimDelivery,
  type Delivery,
  makeDeliveries,
  recordDelivered,
  recordFailedDelivery,
  selectDue,
  sweepDeliveries,
} from './sql/deliveries.ts'
import { deleteEndedWebhooks, selectSecrets, updateSecrets } from './sql/webhooks.ts'
import { resolvesToLoopback } from './webhook-url.ts'

/** Seconds from one attempt at a message to the next; after the last it is abandoned (Standard Webhooks, "Retry schedule"). */
const RETRY_AFTER = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** A webhook that accepted nothing for so long is turned off, in milliseconds. */
const OFF_AFTER = LIFETIMES.webhookOff * 1000
/** Messages sent to one webhook, and all together, in one run. */
const PER_WEBHOOK = 20
const PER_RUN = 50
/** A run begins nothing new after so long, in milliseconds. */
const LONGEST = 20_000
/** As long as a message may be under way before another run sends it again: longer than any delivery. */
const CLAIM = 60_000

/** Notifies webhooks of what happened since they were last notified. One run does a bounded part, and may run twice at once. */
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
      if (resolvesToLoopback(url) && !webhookLoopback) throw new Error('it is an address of this machine')
      // On Cloudflare the platform refuses private addresses; elsewhere a network with public addresses only is used.
      const publicFetch = resolvesToLoopback(url) ? undefined : env.PUBLIC_FETCH
      return await (publicFetch ? publicFetch.fetch(url, init) : fetch(url, init))
    },
  }
}

/** Webhooks whose secrets are checked in one run. */
const SECRETS_PER_RUN = 200
/** The last webhook that was checked. */
const POSITION = 'webhooks/secrets'

/**
 * Seals again what another key of the set sealed than would today, some webhooks at a time and all in turn: then that key
 * can be removed from the set.
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

/** Deletes webhooks whose key has ended, and what waits for events that are not stored any more. */
export async function sweepWebhooks(db: D1Database, now: number): Promise<void> {
  await deleteEndedWebhooks(db, now)
  await sweepDeliveries(db)
}

/** The messages to one webhook, one after another, up to the first that fails. */
async function sendInTurn(context: SenderContext, messages: readonly Delivery[], end: number): Promise<void> {
  for (const message of messages) {
    if (context.clock() >= end) return
    if (!(await claimDelivery(context.db, message, context.clock() + CLAIM))) continue
    const body = eventBody(message.type, message.at, message.data)
    const answer = await sendMessage(context, { ...message, id: `evt_${message.seq}`, body })
    if (answer === 'taken') await recordDelivered(context.db, message)
    else {
      await recordFailure(context, message, answer)
      return
    }
  }
}

async function recordFailure({ db, clock }: SenderContext, message: Delivery, answer: FailedDelivery): Promise<void> {
  const now = clock()
  const seconds = RETRY_AFTER[message.attempts]
  const retryAt = seconds === undefined ? undefined : now + 1000 * seconds
  const { problem, gone } = answer
  await recordFailedDelivery(db, message, { problem, retryAt, offBefore: now - OFF_AFTER, offAtOnce: gone }, now)
}
