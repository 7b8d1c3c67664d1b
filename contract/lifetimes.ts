const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** Lifetimes and time limits that answers, pages and mails mention, in seconds (docs/behaviour/tokens.md). */
export const LIFETIMES = {
  access: 30 * MINUTE,
  refresh: DAY,
  longestRefresh: 365 * DAY,
  /** No refresh token outlives its login by more, however often it is exchanged for another. */
  sinceLogin: 366 * DAY,
  /** A refresh token that lives longer is made by who has just logged in. */
  longRefresh: 30 * DAY,
  /** How old a login may be for what needs a recent one. */
  recentLogin: 10 * MINUTE,
  /** So long a refresh token is good after the first use of the one that replaced it. */
  replaced: 30,
  /** So long after it was made a refresh token shows that its account is known on a device. */
  knownDevice: 90 * DAY,
  /** What is said of a target for storing. */
  target: 10,
  /** How long prices in other currencies are kept before they are asked for again, and after which they are not shown. */
  prices: 10 * MINUTE,
  priceAge: DAY,
  mailLink: DAY,
  /** How long the puzzle of a proof, or the challenge of a passkey, can be answered. */
  challenge: 5 * MINUTE,
  /** How long a failed login counts. */
  failedLogin: 15 * MINUTE,
  /** An account whose address was never verified. */
  unverified: 30 * DAY,
  idempotencyKey: DAY,
  /** What was begun and is not paid, since anything last happened to it. */
  unpaid: 7 * DAY,
  events: 7 * DAY,
  /** A stream of events ends after so long, and its reader reconnects. */
  stream: 5 * MINUTE,
  /** A stream of events sends something at least so often. */
  streamSilence: 10,
  /** The time limit of a delivery to a webhook, and the time of failures after which the webhook is turned off. */
  webhookAnswer: 10,
  webhookOff: 3 * DAY,
  /** Logins and ended sessions in the audit log. */
  auditedLogin: 400 * DAY,
  decidedReport: 400 * DAY,
  /** What a host of a domain answered with last. */
  domainAnswer: 30 * DAY,
  /** How long a readable address that a site had leads to the one that it has. */
  movedAddress: 30 * DAY,
} as const

/** A time for a sentence: "30 seconds", "24 hours". `seconds`: at least two of the unit in which it is written. */
export function inWords(seconds: number): string {
  if (seconds >= 2 * DAY) return `${seconds / DAY} days`
  if (seconds >= 2 * HOUR) return `${seconds / HOUR} hours`
  return seconds >= 2 * MINUTE ? `${seconds / MINUTE} minutes` : `${seconds} seconds`
}
