import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { ADDRESSES_A_MINUTE } from '../../../contract/limits.ts'

/** What is counted by client address in each data centre, as wrangler.toml has it: requests in so many seconds. */
export const RATE_LIMITS = {
  read: { most: 6000, seconds: 60 },
  write: { most: 1800, seconds: 60 },
} as const

export type RateLimitName = keyof typeof RATE_LIMITS

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** What is counted in the database, each over the time that has just passed (docs/behaviour/answers.md). */
export const COUNTED_LIMITS = {
  /** Failed logins of one email address by one client, and by one client: an IPv4 address, or a /64 of IPv6. */
  login: { most: 5, seconds: LIFETIMES.failedLogin },
  'login-client': { most: 20, seconds: LIFETIMES.failedLogin },
  /** Failed logins on one known device of an account. */
  'login-device': { most: 5, seconds: LIFETIMES.failedLogin },
  /** Failed logins by a /56 and a /48 of IPv6, and of one email address: above them a login needs a proof. */
  'login-56': { most: 60, seconds: LIFETIMES.failedLogin },
  'login-48': { most: 200, seconds: LIFETIMES.failedLogin },
  'login-address': { most: 100, seconds: LIFETIMES.failedLogin },
  /** Mails that one client has sent to one mailbox, that one client has sent, and that one mailbox gets. */
  mail: { most: 10, seconds: DAY },
  'mail-client': { most: 100, seconds: 15 * MINUTE },
  'mail-address': { most: 30, seconds: DAY },
  /** Mails of one kind that a mailbox gets above what it may get in a day, whoever asks for them. */
  'mail-hour': { most: 1, seconds: HOUR },
  /** Deposit addresses that an account asks for: each is watched for ever. */
  addresses: { most: ADDRESSES_A_MINUTE, seconds: MINUTE },
  /** Claims and checks of domains by an account: each asks DNS and Cloudflare, which count what we ask. */
  domains: { most: 60, seconds: 15 * MINUTE },
  /** Lists of uploads by an account: each asks the bucket twice for each upload. */
  uploads: { most: 120, seconds: MINUTE },
  /** Tests of webhooks by an account: each asks an address that it names. */
  webhooks: { most: 20, seconds: 15 * MINUTE },
  /** Idempotency-Keys of an account. */
  idempotency: { most: 10_000, seconds: DAY },
  /** What is reported and neither in the database nor in a cache: looked up at nodes and gateways, in all and by one network. */
  'report-lookups': { most: 60, seconds: MINUTE },
  'report-lookups-network': { most: 10, seconds: MINUTE },
  /** Reports by one client. */
  reports: { most: 20, seconds: HOUR },
} as const

export type CountedLimitName = keyof typeof COUNTED_LIMITS

/** A limit that is counted in the database, and how much of it is left. */
export interface CountedLimit {
  name: CountedLimitName
  left: number
}

/** Whether the database counts what this names. */
export function isCounted(name: string): name is CountedLimitName {
  return Object.hasOwn(COUNTED_LIMITS, name)
}

/** The `RateLimit-Policy` of a limit (draft-ietf-httpapi-ratelimit-headers, 3): its name, quota and window in seconds. */
export function rateLimitPolicy(name: string, { most, seconds }: { most: number; seconds: number }): string {
  return `"${name}";q=${most};w=${seconds}`
}

/** The `RateLimit` of a limit (section 4 there): what is left of it for so many seconds. */
export function rateLimitLeft(name: string, left: number, seconds: number): string {
  return `"${name}";r=${Math.max(0, left)};t=${seconds}`
}
