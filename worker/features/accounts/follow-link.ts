import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { checkPassword } from '../auth/check-password.ts'
import { addressDigest } from '../auth/count-attempt.ts'
import { withHashSlot } from '../auth/hash-slots.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { type MailLink, redeemResetLink, redeemVerifyLink, selectMailLink } from '../auth/sql/mail-links.ts'
import { selectUser, USER_STATUS, type User } from '../auth/sql/users.ts'
import { unauthorized } from '../auth/unauthorized.ts'
import { verifyToken } from '../auth/verify-token.ts'
import { pauseWebhooksStatements } from '../events/sql/end-webhooks.ts'

/**
 * The link and the account of a mailed token, while it lives; reading it does not use it up. `now` in milliseconds.
 * @throws {AppError} 400.
 */
export async function findLink(
  db: D1Database,
  config: Config,
  kind: MailLink['kind'],
  token: string,
  now: number,
): Promise<{ link: MailLink; user: User }> {
  const verdict = await verifyToken(token, kind, config, unixSeconds(now))
  const link = verdict.valid ? await selectMailLink(db, verdict.claims.jti, now) : undefined
  const user = link?.kind === kind ? await selectUser(db, link.userId) : undefined
  if (!link || !user) throw linkInvalid()
  return { link, user }
}

/**
 * Verifies the address of the account that a mailed token belongs to, for somebody who has the password of that sign-up
 * too: whoever signs up with the address of another cannot have it activated by the other's press of a button. A wrong
 * password leaves the link as it is.
 * @throws {AppError} 400 for the link, 401 for the password, 429 after too many.
 */
export async function verifyEmail(
  db: D1Database,
  config: Config,
  given: { token: string; password: string; client: Client },
  now: number,
): Promise<void> {
  const { link, user } = await findLink(db, config, 'verify', given.token, now)
  const { password, client } = given
  const credentials = { email: user.email, password, client, byLink: true } as const
  if (!(await checkPassword(db, config, credentials, user, now)))
    throw wrongPassword('This is not the password that was given at that sign-up.')
  if (!(await redeemVerifyLink(db, link, verifiedStatus(config), now))) throw linkInvalid()
}

/** Sets the password of the account that a mailed token belongs to; every session of it ends, and its webhooks are paused. @throws {AppError} 400. */
export async function resetPassword(
  db: D1Database,
  config: Config,
  given: { token: string; password: string },
  now: number,
): Promise<void> {
  const { link, user } = await findLink(db, config, 'reset', given.token, now)
  const passwordHash = await withHashSlot('known', () => hashPassword(given.password, config.passwordPeppers))
  const change = { passwordHash, verifiedStatus: verifiedStatus(config), address: await addressDigest(user.email) }
  if (!(await redeemReset(db, link, change, now))) throw linkInvalid()
}

/** {@link redeemResetLink}, which pauses the webhooks of the account as well. */
export async function redeemReset(
  db: D1Database,
  link: MailLink,
  change: Parameters<typeof redeemResetLink>[2],
  now: number,
): Promise<boolean> {
  return await redeemResetLink(db, link, change, now, (isLive, values) =>
    pauseWebhooksStatements(db, link.userId, now, isLive, ...values),
  )
}

function verifiedStatus(config: Config): number {
  return config.identityCheck === 'manual' ? USER_STATUS.identityPending : USER_STATUS.active
}

/** The refusal of a password on the page of a link. */
export function wrongPassword(sentence: string): AppError {
  return unauthorized(`${sentence} Try again; if you forgot it, ask for a new one.`, 'wrong_credentials')
}

/** The refusal of a link that is of no use. */
export function linkInvalid(): AppError {
  return new AppError(
    400,
    'link_invalid',
    `This link was used already, is older than ${inWords(LIFETIMES.mailLink)}, or never was one of ours. If it did its work before, log in; if not, ask for another mail.`,
  )
}
