import type { NewWebhook } from '../../../contract/event.ts'
import { WEBHOOK_TYPES } from '../../../contract/event-types.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import { sealSecret } from './sealed-secrets.ts'
import { newSecret } from './sign-message.ts'
import { insertWebhook } from './sql/webhooks.ts'
import { webhookJson } from './webhook-json.ts'
import { checkWebhookUrl } from './webhook-url.ts'

/** Webhooks that an account may have. */
const MAX_WEBHOOKS = 5

/**
 * Adds a webhook of the user, which is told of what happens from `now` (milliseconds) on. The answer is the only one
 * that has its secret. @throws {AppError} 400; 409 for one more than an account may have.
 */
export async function addWebhook(
  db: D1Database,
  config: Pick<Config, 'webhookLoopback' | 'tokenKeys'>,
  userId: string,
  { url, types = [...WEBHOOK_TYPES] }: NewWebhook,
  now: number,
) {
  const address = checkWebhookUrl(url, { loopback: config.webhookLoopback })
  const id = crypto.randomUUID()
  const secret = newSecret()
  const webhook = { id, userId, url: address, types, createdAt: now }
  const sealed = await sealSecret(config.tokenKeys, id, secret)
  if (!(await insertWebhook(db, { ...webhook, secret: sealed }, MAX_WEBHOOKS))) {
    const details = { quota: 'webhooks', limit: MAX_WEBHOOKS, used: MAX_WEBHOOKS }
    const message = `An account may have ${MAX_WEBHOOKS} webhooks. Delete one first.`
    throw new AppError(409, 'quota_exceeded', message, { details })
  }
  const fresh = { ...webhook, failingSince: undefined, problem: undefined, offAt: undefined }
  return { ...webhookJson(fresh), secret }
}
