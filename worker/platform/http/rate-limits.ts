import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { ADDRESSES_A_MINUTE } from '../../../contract/limits.ts'

/** Limits by client address in each data centre, as in wrangler.toml: requests in a number of seconds. */
export const RATE_LIMITS = {
  read: { most: 6000, seconds: 60 },
  write: { most: 1800, seconds: 60 },
} as const

export type RateLimitName = keyof typeof RATE_LIMITS

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** Limits that the database counts, each over a sliding window (docs/behaviour/answers.md). */
export const COUNTED_LIMITS = {
  /** Failed logins of one email address by one client, and by one client: an IPv4 address, or a /64 of IPv6. */
  login: { most: 5, seconds: LIFETIMES.failedLogin },
  'login-client': { most: 20, seconds: LIFETIMES.failedLogin },
  /** Failed logins on one known device of an account. */
  'login-device': { most: 5, seconds: LIFETIMES.failedLogin },
  /** Failed logins by a /56 and a /48 of IPv6, and of one email address; above them a login needs a proof. */
  'login-56': { most: 60, seconds: LIFETIMES.failedLogin },
  'login-48': { most: 200, seconds: LIFETIMES.failedLogin },
  'login-address': { most: 100, seconds: LIFETIMES.failedLogin },
  /** Mails that one client requests to one mailbox, that one client requests, and that one mailbox receives. */
  mail: { most: 10, seconds: DAY },
  'mail-client': { most: 100, seconds: 15 * MINUTE },
  'mail-address': { most: 30, seconds: DAY },
  /** Mails of one kind that a mailbox receives beyond its daily limit, from all clients. */
  'mail-hour': { most: 1, seconds: HOUR },
  /** Deposit addresses of an account: each is watched for ever. */
  addresses: { most: ADDRESSES_A_MINUTE, seconds: MINUTE },
  /** Claims and checks of domains by an account: each sends requests to DNS and Cloudflare, which have limits too. */
  domains: { most: 60, seconds: 15 * MINUTE },
  /** Lists of uploads by an account: each does two bucket operations for each upload. */
  uploads: { most: 120, seconds: MINUTE },
  /** Tests of webhooks by an account: each sends a request to an address of its choice. */
  webhooks: { most: 20, seconds: 15 * MINUTE },
  /** Idempotency-Keys of an account. */
  idempotency: { most: 10_000, seconds: DAY },
  /** Look-ups at nodes and gateways of reported content that is not stored here: in all, and by one network. */
  'report-lookups': { most: 60, seconds: MINUTE },
  'report-lookups-network': { most: 10, seconds: MINUTE },
  /** Reports by one client. */
  reports: { most: 20, seconds: HOUR },
} as const

export type CountedLimitName = keyof typeof COUNTED_LIMITS

/** A limit that the database counts, and how much of it is left. */
export interface CountedLimit {
  name: CountedLimitName
  left: number
}

/** Whether this is the name of a limit that the database counts. */
export function isCounted(name: string): name is CountedLimitName {
  return Object.hasOwn(COUNTED_LIMITS, name)
}

/** The `RateLimit-Policy` of a limit (draft-ietf-httpapi-ratelimit-headers, 3): its name, quota and window in seconds. */
export function rateLimitPolicy(name: string, { most, seconds }: { most: number; seconds: number }): string {
  return `"${name}";q=${most};w=${seconds}`
}

/** The `RateLimit` of a limit (section 4 of the draft): what is left of it for so many seconds. */
export function rateLimitLeft(name: string, left: number, seconds: number): string {
  return `"${name}";r=${Math.max(0, left)};t=${seconds}`
}
