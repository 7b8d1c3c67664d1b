import type { CountedLimitName } from '../../platform/http/rate-limits.ts'
import { type Answer, type Header, type HeaderRef, mapOperations, type Operation, type Paths } from './openapi.ts'

/** Headers that answers of many operations have, by the name that they are referred to by. */
export const COMMON_HEADERS = {
  RateLimitPolicy: {
    description:
      'By which limits the request was counted, as `"<name>";q=<most>;w=<seconds>`; an answer from memory is not counted.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of a limit that the service counts as a whole, as `"<name>";r=<left>;t=<seconds>`.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which to retry.', schema: { type: 'integer', minimum: 0 } },
} as const satisfies Record<string, Header>

const refer = (name: keyof typeof COMMON_HEADERS): HeaderRef => ({ $ref: `#/components/headers/${name}` })

const POLICY = { 'RateLimit-Policy': refer('RateLimitPolicy') }
const LEFT = { RateLimit: refer('RateLimit') }
const RETRY = { 'Retry-After': refer('RetryAfter') }

/** Requests to paths below these are counted by the address of their sender. */
const COUNTED_PATHS = /^\/(v0|ipfs|ipns|console\/session)(\/|$)/

/** What the database counts beside that, and of what its answers say what is left; every `Idempotency-Key` too. */
const COUNTED_OPERATIONS: Readonly<Record<string, CountedLimitName>> = {
  logIn: 'login',
  logInConsole: 'login',
  changeProfile: 'login',
  closeAccount: 'login',
  verifyEmail: 'login',
  changeEmail: 'login',
  signUp: 'mail',
  sendVerification: 'mail',
  sendPasswordReset: 'mail',
  sendNewEmail: 'mail',
  createAddress: 'addresses',
  claimDomain: 'domains',
  checkDomain: 'domains',
  report: 'reports',
  listUploads: 'uploads',
  testWebhook: 'webhooks',
}

/** Statuses after which a retry may succeed. */
const LATE = ['429', '502', '503', '504']

/** Adds to each answer its headers about limits and about when to retry. */
export function withLimits(paths: Paths): Paths {
  return mapOperations(paths, (operation, path) => {
    return { ...operation, responses: limited(operation, COUNTED_PATHS.test(path)) }
  })
}

function limited({ operationId, parameters = [], responses }: Operation, isCounted: boolean): Record<string, Answer> {
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const counted = { ...(isCounted && POLICY), ...((takesKey || operationId in COUNTED_OPERATIONS) && LEFT) }
  const late = takesKey ? [...LATE, '409'] : LATE
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      const again = { ...(status === '429' && LEFT), ...(late.includes(status) && RETRY) }
      const headers = { ...counted, ...again, ...answer.headers }
      return [status, Object.keys(headers).length === 0 ? answer : { ...answer, headers }]
    }),
  )
}
