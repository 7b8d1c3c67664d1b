import { PAGE_ROWS } from '../../../contract/limits.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { AppError, invalidCursor } from '../../platform/http/errors.ts'
import { type AuditRow, selectAudit } from '../../platform/records/audit-log.ts'
import type { Caller } from '../auth/find-caller.ts'
import { selectEmails } from '../auth/sql/users.ts'

/**
 * A page of the audit log as JSON text, latest first: for a caller who may `operate` all of it, or what is about `account`; for
 * others what is about themselves. Operators see the email addresses of accounts.
 * @throws {AppError} 400; 403 for somebody else's without `operate`.
 */
export async function auditPage(
  db: D1Database,
  caller: Pick<Caller, 'userId' | 'permissions'>,
  query: { account: string | undefined; cursor: string | undefined },
): Promise<string> {
  const { cursor } = query
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor()
  const operates = caller.permissions.includes('operate')
  if (!operates && query.account !== undefined && query.account !== caller.userId) {
    throw new AppError(403, 'permission_missing', 'The log of another account needs the permission "operate".')
  }
  const account = operates ? query.account : caller.userId
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const found = await selectAudit(db, { account, before, limit: PAGE_ROWS + 1 })
  const rows = found.slice(0, PAGE_ROWS)
  const next = found.length > PAGE_ROWS ? rows.at(-1)?.seq : undefined
  const named = [...new Set(rows.flatMap(({ actor, account: about }) => [actor, about ?? actor]))]
  const emails = operates ? await selectEmails(db, named) : new Map<string, string>()
  const entries = `[${rows.map((row) => entryJson(row, emails)).join()}]`
  return coinsJson(next === undefined ? {} : { cursor: String(next) }, {}, { entries })
}

function entryJson(row: AuditRow, emails: ReadonlyMap<string, string>): string {
  const { seq, at, act, actor, account, subject, reason, blockchain, amount, unbacked } = row
  const fields = { id: String(seq), at: unixSeconds(at), act, by: actor, account: account ?? null }
  const byEmail = emails.get(actor)
  const accountEmail = emails.get(account ?? '')
  return coinsJson(
    {
      ...{ ...fields, subject: subject ?? null, reason: reason ?? null },
      ...(byEmail === undefined ? {} : { byEmail }),
      ...(accountEmail === undefined ? {} : { accountEmail }),
      ...(blockchain ? { blockchain } : {}),
      ...(unbacked ? { unbacked } : {}),
    },
    amount === undefined ? {} : { amount },
  )
}
