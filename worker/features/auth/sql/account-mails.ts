import { insertSelectedMailsStatement } from '../../../platform/records/mail-queue.ts'

/** Writes the mail that carries a link, if the link was written. */
export function insertLinkMailStatement(db: D1Database, id: string, jti: string, now: number): D1PreparedStatement {
  return insertSelectedMailsStatement(
    db,
    `SELECT ?1, IFNULL(mail_links.email, users.email), mail_links.kind, mail_links.jti, NULL, ?3, ?3
     FROM mail_links JOIN users ON users.id = mail_links.user_id WHERE mail_links.jti = ?2`,
    [id, jti, now],
  )
}

/** Writes the mail to somebody whose address was signed up with though it has an account already. */
export function insertKnownAddressMailStatement(
  db: D1Database,
  id: string,
  email: string,
  now: number,
): D1PreparedStatement {
  return insertSelectedMailsStatement(
    db,
    `SELECT ?1, email, CASE status WHEN 0 THEN 'closed' ELSE 'known' END, NULL, NULL, ?3, ?3
     FROM users WHERE email = ?2 AND status <> 2`,
    [id, email, now],
  )
}
