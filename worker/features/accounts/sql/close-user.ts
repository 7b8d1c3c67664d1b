import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import type { User } from '../../auth/sql/users.ts'
import { releaseClosedStatements } from '../../sites/sql/domains.ts'

/**
 * Closes an active account and ends its tokens, keys, passkeys, links and webhooks, unless it changed since `user` was
 * read. Its domains are released, at Cloudflare too.
 */
export async function closeUser(db: D1Database, user: User, now: number): Promise<boolean> {
  const entry = { at: now, actor: user.id, account: user.id, act: 'account.closed' } as const
  const [updated] = await db.batch([
    db
      .prepare(
        `UPDATE users SET status = 0, token_epoch = token_epoch + 1 WHERE id = ? AND status = 1 AND token_epoch = ?`,
      )
      .bind(user.id, user.tokenEpoch),
    insertAuditStatement(db, entry, { ifChanged: true }),
    ...['sessions', 'api_keys', 'passkeys', 'mail_links', 'webhooks'].map((table) =>
      db
        .prepare(`DELETE FROM ${table} WHERE user_id = ?1 AND (SELECT status FROM users WHERE id = ?1) = 0`)
        .bind(user.id),
    ),
    ...releaseClosedStatements(db, user.id),
  ])
  return updated?.meta.changes === 1
}
