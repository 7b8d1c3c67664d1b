import { Hono } from 'hono'
import { PAGE_ROWS } from '../../../../contract/limits.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import { cutPage, parseNumberCursor } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { type AuditRow, selectAudit } from '../../../platform/records/audit-log.ts'
import type { Caller } from '../../auth/find-caller.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectEmails } from '../../auth/sql/users.ts'

/** /v0/audit: who did what (docs/behaviour/accounts.md). */
export const audit = new Hono<AppEnv>()

audit.get('/', requireToken(), async (c) => {
  const { account, cursor } = c.req.query()
  const page = await auditPage(c.env.DB, c.get('caller'), { account, cursor })
  return sendJson(c, page)
})

/**
 * A page of the audit log as JSON text, latest first: for a caller who may `operate` all of it, or what is about `account`; for
 * others what is about themselves. Operators see the email addresses of accounts.
 * @throws {AppError} 400; 403 for somebody else's without `operate`.
 */
async function auditPage(
  db: D1Database,
  caller: Pick<Caller, 'userId' | 'permissions'>,
  query: { account: string | undefined; cursor: string | undefined },
): Promise<string> {
  const before = parseNumberCursor(query.cursor)
  const operates = caller.permissions.includes('operate')
  if (!operates && query.account !== undefined && query.account !== caller.userId) {
    throw new AppError(403, 'permission_missing', 'The log of another account needs the permission "operate".')
  }
  const account = operates ? query.account : caller.userId
  const found = await selectAudit(db, { account, before, limit: PAGE_ROWS + 1 })
  const { shown: rows, cursor } = cutPage(found, ({ seq }) => String(seq))
  const named = [...new Set(rows.flatMap(({ actor, account: about }) => [actor, about ?? actor]))]
  const emails = operates ? await selectEmails(db, named) : new Map<string, string>()
  const entries = `[${rows.map((row) => entryJson(row, emails)).join()}]`
  return coinsJson(cursor === undefined ? {} : { cursor }, {}, { entries })
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
