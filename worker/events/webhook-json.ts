import type { Webhook } from '../storage/events/webhooks.ts'

const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.floor(ms / 1000))

/** A webhook as the API answers it; times in Unix seconds. */
export function webhookJson({ id, url, types, createdAt, failingSince, problem, offAt }: Webhook) {
  return {
    id,
    url,
    types,
    createdAt: Math.floor(createdAt / 1000),
    failingSince: seconds(failingSince),
    problem: problem ?? null,
    offAt: seconds(offAt),
  }
}
