import { unixSeconds, unixSecondsOrNull } from '../../platform/clock.ts'
import type { Webhook } from './sql/webhooks.ts'

/** A webhook as the API answers it; times in Unix seconds. */
export function webhookJson(webhook: Webhook) {
  const { id, url, types, createdAt, failingSince, problem, offAt, pausedAt, madeBy, keyId } = webhook
  return {
    id,
    url,
    types,
    createdAt: unixSeconds(createdAt),
    failingSince: unixSecondsOrNull(failingSince),
    problem: problem ?? null,
    offAt: unixSecondsOrNull(offAt),
    pausedAt: unixSecondsOrNull(pausedAt),
    madeBy,
    key: keyId ?? null,
  }
}
