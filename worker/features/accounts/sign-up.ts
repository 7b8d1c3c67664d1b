import type { NewUser } from '../../../contract/account.ts'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { countMail } from '../auth/count-attempt.ts'
import { requireHashPlace, withHashSlot } from '../auth/hash-slots.ts'
import { newTokenId } from '../auth/issue-token.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { insertKnownAddressMailStatement, insertLinkMailStatement } from '../auth/sql/account-mails.ts'
import { deleteLinksOfPendingUserStatement, insertMailLinkStatement } from '../auth/sql/mail-links.ts'
import { insertWaitStatements } from '../auth/sql/sign-up-waits.ts'
import { USER_STATUS, upsertPendingUserStatement } from '../auth/sql/users.ts'

/**
 * Writes a pending account and its mail, or only a mail when the address has an account already: the same work, so
 * that whoever asks learns nothing. Answers the id of the mail that waits, and what the page may ask by whether the
 * address was verified. `now` in milliseconds.
 */
export async function signUp(
  db: D1Database,
  { passwordPeppers }: Pick<Config, 'passwordPeppers'>,
  given: NewUser,
  client: Client,
  now: number,
) {
  // Before anything is counted: beside a full queue a sign-up costs no rows.
  requireHashPlace('sign-up')
  client.tell(await countMail(db, 'sign-up', given.email, client, now))
  const hash = () => hashPassword(given.password, passwordPeppers)
  const passwordHash = await withHashSlot('sign-up', hash, client.address)
  const { email, firstName, lastName, language } = given
  const jti = newTokenId()
  const mail = crypto.randomUUID()
  const wait = newTokenId()
  const link = { jti, email, kind: 'verify', createdAt: now, expiresAt: now + LIFETIMES.mailLink * 1000 } as const
  await db.batch([
    upsertPendingUserStatement(db, {
      id: crypto.randomUUID(),
      email,
      passwordHash,
      firstName,
      lastName,
      createdAt: now,
      language,
    }),
    deleteLinksOfPendingUserStatement(db, email),
    ...insertWaitStatements(db, { wait, email, expiresAt: link.expiresAt }),
    insertMailLinkStatement(db, link, [USER_STATUS.emailPending]),
    insertLinkMailStatement(db, mail, jti, now),
    insertKnownAddressMailStatement(db, mail, email, now),
  ])
  return { mail, wait }
}
