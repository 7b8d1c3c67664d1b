import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { countMail } from '../auth/count-attempt.ts'
import { newTokenId } from '../auth/issue-token.ts'
import { insertLinkMailStatement } from '../auth/sql/account-mails.ts'
import { insertMailLinkStatement } from '../auth/sql/mail-links.ts'
import { USER_STATUS } from '../auth/sql/users.ts'

/** Which accounts may ask for a link. A reset proves the address too, so a pending account may ask for one. */
const STATUSES = {
  verify: [USER_STATUS.emailPending],
  reset: [USER_STATUS.active, USER_STATUS.emailPending, USER_STATUS.identityPending],
}

/**
 * Writes the mail with a link to whoever has an account with this address. Answers the id of a mail, whether or not
 * there is one. `now` in milliseconds.
 */
export async function requestLink(
  db: D1Database,
  kind: keyof typeof STATUSES,
  email: string,
  client: Client,
  now: number,
): Promise<string> {
  client.tell(await countMail(db, kind, email, client, now))
  const jti = newTokenId()
  const mail = crypto.randomUUID()
  const link = { jti, email, kind, createdAt: now, expiresAt: now + LIFETIMES.mailLink * 1000 }
  await db.batch([insertMailLinkStatement(db, link, STATUSES[kind]), insertLinkMailStatement(db, mail, jti, now)])
  return mail
}
