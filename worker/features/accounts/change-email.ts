import type { NewEmail } from '../../../contract/account.ts'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { checkPassword } from '../auth/check-password.ts'
import { countMail } from '../auth/count-attempt.ts'
import type { Caller } from '../auth/find-caller.ts'
import { newTokenId } from '../auth/issue-token.ts'
import { deviceOf } from '../auth/known-device.ts'
import { insertLinkMailStatement } from '../auth/sql/account-mails.ts'
import {
  insertEmailLinkStatements,
  insertTakenAddressMailStatement,
  redeemEmailLink,
} from '../auth/sql/change-email.ts'
import { insertNoticeMailStatement } from '../auth/sql/notice-mails.ts'
import { selectUser, USER_STATUS } from '../auth/sql/users.ts'
import { tokenEnded } from '../auth/unauthorized.ts'
import { findLink, linkInvalid, wrongPassword } from './follow-link.ts'

/**
 * Writes the mail with a link to the new address, or one that says that it has an account already: the same work, so that whoever
 * asks learns nothing. The address until now is told. Answers the id of the mail; the account stays as it is. `now` in
 * milliseconds.
 * @throws {AppError} 400, 401, 403 for a wrong password, 429 after too many.
 */
export async function requestNewEmail(
  db: D1Database,
  config: Pick<Config, 'passwordPeppers' | 'tokenKeys'>,
  caller: Pick<Caller, 'userId' | 'session' | 'authTime'> & { client: Client },
  { email, password }: NewEmail,
  now: number,
): Promise<string> {
  const { client } = caller
  const user = await selectUser(db, caller.userId)
  if (user?.status !== USER_STATUS.active) throw tokenEnded()
  const given = { email: user.email, password, client, known: deviceOf(caller) }
  if (!(await checkPassword(db, config, given, user, now)))
    throw new AppError(403, 'wrong_password', 'This is not the current password. Nothing was changed.')
  if (email === user.email) throw invalidField('email', 'is the address of this account already.')
  // Each of the two gets a mail.
  await countMail(db, 'email', user.email, client, now)
  client.tell(await countMail(db, 'email', email, client, now))
  const jti = newTokenId()
  const mail = crypto.randomUUID()
  const expiresAt = now + LIFETIMES.mailLink * 1000
  await db.batch([
    ...insertEmailLinkStatements(db, user, { jti, email, createdAt: now, expiresAt }),
    insertLinkMailStatement(db, mail, jti, now),
    insertTakenAddressMailStatement(db, mail, email, now),
    insertNoticeMailStatement(db, 'moving', { userId: user.id, about: email }, now),
  ])
  return mail
}

/**
 * Gives an account the address that a mailed link was sent to, for somebody who has its password too: whoever gets a mail that was
 * misdirected has the link alone. A wrong password leaves the link as it is. Answers the address.
 * @throws {AppError} 400 for the link, 401 for the password, 429 after too many.
 */
export async function confirmNewEmail(
  db: D1Database,
  config: Config,
  { token, password, client }: { token: string; password: string; client: Client },
  now: number,
): Promise<string> {
  const { link, user } = await findLink(db, config, 'email', token, now)
  const { email } = link
  if (email === undefined) throw linkInvalid()
  const given = { email: user.email, password, client, byLink: true } as const
  if (!(await checkPassword(db, config, given, user, now)))
    throw wrongPassword('This is not the password of the account.')
  if (!(await redeemEmailLink(db, { ...link, email }, user.email, now))) throw linkInvalid()
  return email
}
