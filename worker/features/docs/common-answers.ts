import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import { MAX_IDEMPOTENCY_KEY } from '../../../contract/limits.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../auth/idempotency/parse-idempotency-key.ts'
import type { Answer, Operation, Parameter, Schema } from './openapi.ts'

const PROBLEM: Schema = { $ref: '#/components/schemas/Problem' }

/** A refusal with `message` and `code`. */
export const refusal = (description: string): Answer => ({
  description,
  content: { 'application/json': { schema: PROBLEM } },
})

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `Of your choice, up to ${MAX_IDEMPOTENCY_KEY} characters. The same request with the same key, within ${inWords(LIFETIMES.idempotencyKey)}, gets the answer of the first one, with \`Idempotent-Replayed: true\`, and does nothing. With another request: 422. While the first is running: 409.`,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
}

/** An operation that accepts an `Idempotency-Key`, or, `required`, needs one. */
export function idempotent(operation: Operation, required: boolean): Operation {
  const key = required ? { ...IDEMPOTENCY_KEY, required } : IDEMPOTENCY_KEY
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []), key],
    responses: {
      ...commonAnswers('400'),
      '409': refusal('The first request with this `Idempotency-Key` is still running.'),
      '422': refusal('The `Idempotency-Key` was sent with another request.'),
      ...operation.responses,
    },
  }
}

const COMMON: Record<string, Answer> = {
  '400': refusal('A field is missing, of the wrong type or out of range; the message names it.'),
  '401': refusal(
    'The access token is missing, malformed, expired or no longer valid. With `WWW-Authenticate: Bearer`.',
  ),
  '403': refusal('The permission, or the scope of the API key, is missing.'),
  '404': refusal("There is no such thing, or it is somebody else's."),
  '410': refusal('The owner of the item has taken it down.'),
  '413': refusal('The body is larger than the limit.'),
  '415': refusal('The body is not sent as the media type that is due.'),
  '422': refusal('The content is larger than this service handles.'),
  '429': refusal('Too many requests. `Retry-After` says when to retry, `RateLimit` which limit is used up.'),
  '451': refusal('This content is on the denylist.'),
  '502': refusal('A node or gateway returned an invalid response.'),
  '503': refusal('A part of this service is not available right now. `Retry-After` says when to retry.'),
  '504': refusal('No node or gateway answered in time.'),
}

/** The answers that many operations share, by status. */
export function commonAnswers(...statuses: (keyof typeof COMMON & string)[]): Record<string, Answer> {
  return Object.fromEntries(
    [...statuses, '429', '503'].flatMap((status) => {
      const answer = COMMON[status]
      return answer ? [[status, answer]] : []
    }),
  )
}
