import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { insertNoticeMailStatement } from './notice-mails.ts'

/** What an account is used with beside its password. */
const CREDENTIALS = {
  key: { made: 'key.made', deleted: 'key.deleted', remove: 'DELETE FROM api_keys WHERE id = ? AND user_id = ?' },
  passkey: {
    made: 'passkey.added',
    deleted: 'passkey.deleted',
    remove: 'DELETE FROM passkeys WHERE id = ? AND user_id = ?',
  },
} as const

export type CredentialKind = keyof typeof CREDENTIALS

/** Fails its batch when the account is not open, or its tokens were ended since `epoch` was read. */
export function assertEpochStatement(db: D1Database, userId: string, epoch: number): D1PreparedStatement {
  const open = 'EXISTS (SELECT 1 FROM users WHERE id = ? AND status = 1 AND token_epoch = ?)'
  return assertionStatement(db, open, userId, epoch)
}

/** Records in the audit log that a credential was made, and mails its owner; `createdAt` in milliseconds. */
export function insertMadeStatements(
  db: D1Database,
  kind: CredentialKind,
  { id, userId, createdAt }: { id: string; userId: string; createdAt: number },
): D1PreparedStatement[] {
  return [
    insertAuditStatement(db, { ...auditOf(kind, userId, id, createdAt), act: CREDENTIALS[kind].made }),
    insertNoticeMailStatement(db, kind, { userId, about: 'added' }, createdAt),
  ]
}

/**
 * Ends a credential of this user, with `before` in the same batch, records that in the audit log and mails its owner; false when
 * there is none. `now` in milliseconds.
 */
export async function deleteCredential(
  db: D1Database,
  kind: CredentialKind,
  { id, userId }: { id: string; userId: string },
  now: number,
  before: readonly D1PreparedStatement[] = [],
): Promise<boolean> {
  const { deleted: act, remove } = CREDENTIALS[kind]
  const outcomes = await db.batch([
    ...before,
    db.prepare(remove).bind(id, userId),
    insertAuditStatement(db, { ...auditOf(kind, userId, id, now), act }, { ifChanged: true }),
    insertNoticeMailStatement(db, kind, { userId, about: 'removed' }, now, { ifChanged: true }),
  ])
  return outcomes.at(-3)?.meta.changes === 1
}

function auditOf(kind: CredentialKind, userId: string, id: string, at: number) {
  return { at, actor: userId, account: userId, subject: `${kind}:${id}` }
}
