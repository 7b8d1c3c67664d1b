import * as v from 'valibot'
import { WEBHOOK_TYPES } from './event-types.ts'
import { named } from './fields.ts'
import { MAX_WEBHOOK_URL } from './limits.ts'
import {
  list,
  noted,
  nullable,
  type Output,
  object,
  optional,
  seconds,
  someOf,
  text,
  timeOrNull,
  words,
} from './schema.ts'

const TYPES_PROBLEM = `must be a list of some of ${WEBHOOK_TYPES.join(', ')}, each once.`

export const Webhook = object({
  id: named('webhook', text()),
  url: text(),
  types: list(words(WEBHOOK_TYPES)),
  createdAt: seconds('When it was added'),
  failingSince: timeOrNull('Since when it accepted no message'),
  problem: nullable(text(), 'What the last failure was.'),
  offAt: timeOrNull('When it was turned off'),
  pausedAt: timeOrNull('When a reset of the password paused it'),
  madeBy: words(['login', 'key'], 'Who made it: somebody who was logged in, or an API key.'),
  key: nullable(text(), 'The id of the API key that made it, with which it ends.'),
})

/** An address, and what it is notified of: all there is without `types`. */
export const NewWebhook = object({
  url: noted(text(), undefined, { format: 'uri', maxLength: MAX_WEBHOOK_URL }),
  types: optional(
    v.pipe(
      someOf(WEBHOOK_TYPES, TYPES_PROBLEM),
      v.check((types) => new Set(types).size === types.length, TYPES_PROBLEM),
      v.transform((types) => WEBHOOK_TYPES.filter((type) => types.includes(type))),
    ),
  ),
})
export type NewWebhook = Output<typeof NewWebhook>
export const CreatedWebhook = object({
  ...Webhook.entries,
  secret: text('`whsec_` and base64. Not shown again.'),
})
