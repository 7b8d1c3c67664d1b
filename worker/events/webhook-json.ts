import { unixSeconds } from '../clock.ts'
import type { Webhook } from '../storage/events/webhooks.ts'

const seconds = (ms: number | undefined) => (ms === undefined ? null : unixSeconds(ms))

/** A webhook as the API answers it; times in Unix seconds. */
export function webhookJson({ id, url, types, createdAt, failingSince, problem, offAt }: Webhook) {
  return {
    id,
    url,
    types,
    createdAt: unixSeconds(createdAt),
    failingSince: seconds(failingSince),
    problem: problem ?? null,
    offAt: seconds(offAt),
  }
}
