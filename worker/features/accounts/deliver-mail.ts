import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import {
  claimMail,
  deleteMail,
  type Mail,
  selectDueMails,
  selectOldestMail,
} from '../../platform/records/mail-queue.ts'
import { signToken } from '../auth/sign-token.ts'
import { selectMailLink } from '../auth/sql/mail-links.ts'
import { selectUser } from '../auth/sql/users.ts'
import { TOKEN_KINDS } from '../auth/token-claims.ts'
import { postMail } from './post-mail.ts'

const MAX_IN_ONE_RUN = 20
const MINUTE = 60_000
/** A mail that waits for longer is told to operators: two tries have failed, or the provider is not asked at all. */
const WAITS_FROM = 15 * MINUTE

/**
 * Sends a waiting mail, if it is due and nobody else is at it. What fails is logged and stays due for later, so
 * that no answer depends on the provider. `now` in milliseconds.
 */
export async function deliverMail(db: D1Database, config: Config, id: string, now: number, attempts = 0) {
  try {
    const mail = await claimMail(db, id, now, now + MINUTE * Math.min(2 ** attempts, 60))
    if (!mail) return
    if (!config.mail) return
    const link = await signLink(db, config, mail, now)
    if (mail.linkJti === undefined || link !== undefined) {
      const { recipient: to, about = '' } = mail
      const { writeMail } = await import('./write-mail.ts')
      const service = config.baseUrl.host
      const message = await writeMail(mail.template, { to, service, link, about, language: mail.language ?? 'en' })
      await postMail(message, config.mail)
    }
    await deleteMail(db, id)
  } catch (error) {
    console.error('mail_not_sent', `attempt ${attempts + 1}:`, error instanceof Error ? error.message : 'unknown')
  }
}

/** Sends what is due, a bounded number at a time, and tells operators where mails wait. */
export async function deliverDueMails(db: D1Database, config: Config, now: number): Promise<void> {
  for (const { id, attempts } of await selectDueMails(db, now, MAX_IN_ONE_RUN)) {
    await deliverMail(db, config, id, now, attempts)
  }
  const minutes = await minutesOfWaiting(db, now)
  if (minutes === undefined) return
  console.error('mail_waits', `for ${minutes} minutes`, config.mail ? '' : 'MAIL_URL is not set')
}

/** How long the oldest mail waits, where that is longer than it should be. `now` in milliseconds. */
export async function minutesOfWaiting(db: D1Database, now: number): Promise<number | undefined> {
  const oldest = await selectOldestMail(db)
  return oldest !== undefined && now - oldest >= WAITS_FROM ? Math.floor((now - oldest) / MINUTE) : undefined
}

// Signed when it is sent, so that no usable link is ever stored. Nothing for a link that has been used or replaced.
async function signLink(db: D1Database, config: Config, mail: Mail, now: number): Promise<string | undefined> {
  const link = mail.linkJti === undefined ? undefined : await selectMailLink(db, mail.linkJti, now)
  const user = link && (await selectUser(db, link.userId))
  if (!link || !user) return undefined
  const iat = unixSeconds(link.createdAt)
  const exp = unixSeconds(link.expiresAt)
  const claims = { sub: user.id, jti: link.jti, iat, exp, auth_time: iat, epoch: user.tokenEpoch }
  const token = await signToken(link.kind, claims, config)
  return `${config.baseUrl.origin}${TOKEN_KINDS[link.kind].path}?token=${token}`
}
