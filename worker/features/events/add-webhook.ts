import type { NewWebhook } from '../../../contract/event.ts'
import { WEBHOOK_TYPES } from '../../../contract/event-types.ts'
import { MAX_WEBHOOKS } from '../../../contract/limits.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Caller } from '../auth/find-caller.ts'
import { keyEnded, tokenEnded } from '../auth/unauthorized.ts'
import { sealSecret } from './sealed-secrets.ts'
import { newSecret } from './sign-message.ts'
import { insertWebhook, selectWebhooks, type Webhook } from './sql/webhooks.ts'
import { webhookJson } from './webhook-json.ts'
import { checkWebhookUrl } from './webhook-url.ts'

/**
 * Adds a webhook of the caller's account, which is notified of what happens from `now` (milliseconds) on, and ends with the
 * API key of the caller, where there is one; a mail to the account says so. The answer is the only one that has its
 * secret. @throws {AppError} 400; 401 where the token or key ended meanwhile; 409 for one more than an account may have.
 */
export async function addWebhook(
  db: D1Database,
  config: Pick<Config, 'webhookLoopback' | 'tokenKeys'>,
  { userId, tokenEpoch, key }: Pick<Caller, 'userId' | 'tokenEpoch' | 'key'>,
  { url, types = [...WEBHOOK_TYPES] }: NewWebhook,
  now: number,
) {
  const address = checkWebhookUrl(url, { loopback: config.webhookLoopback })
  const id = crypto.randomUUID()
  const secret = newSecret()
  const sealed = await sealSecret(config.tokenKeys, id, secret)
  const webhook: Webhook = {
    ...{ id, userId, url: address, types, createdAt: now },
    ...{ failingSince: undefined, problem: undefined, offAt: undefined, pausedAt: undefined },
    madeBy: key ? 'key' : 'login',
    keyId: key?.id,
    endsAt: key?.expiresAt,
  }
  const guard = { most: MAX_WEBHOOKS, epoch: tokenEpoch }
  if (await insertWebhook(db, { ...webhook, secret: sealed }, guard)) return { ...webhookJson(webhook), secret }
  if ((await selectWebhooks(db, userId, now)).length < MAX_WEBHOOKS) throw key ? keyEnded() : tokenEnded()
  const details = { quota: 'webhooks', limit: MAX_WEBHOOKS, used: MAX_WEBHOOKS }
  throw new AppError(409, 'quota_exceeded', `An account may have ${MAX_WEBHOOKS} webhooks. Delete one first.`, {
    details,
  })
}
