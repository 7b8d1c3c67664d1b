import { formatAmount } from '../../../../protocol/amount.ts'
import { type AuditEntry, insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { insertEventStatement, type NewEvent } from '../../../platform/records/event-queue.ts'
import type { EndedAs } from '../record/end-records.ts'
import type { Withdrawal } from '../sql/withdrawals.ts'

type Told = Pick<Withdrawal, 'id' | 'userId' | 'blockchain' | 'address' | 'amount'>

/** The event for the owner of a withdrawal, with its `txid`, or the `reason` why it failed. Pure. */
export function withdrawalEvent(
  { id, userId, blockchain, address, amount }: Told,
  what: 'sent' | 'failed' | 'confirmed' | 'held' | EndedAs,
  now: number,
  more: { txid?: string; reason?: string } = {},
): NewEvent {
  const fields = JSON.stringify({ id, blockchain, address, ...more })
  const data = `${fields.slice(0, -1)},"amount":${formatAmount(amount)}}`
  return { userId, type: `withdrawal.${what}`, subject: id, data, at: now }
}

/** The statement that adds an act on a withdrawal, of the service unless `actor` names another, to the audit log. */
export function withdrawalAuditStatement(
  db: D1Database,
  { id, userId: account, blockchain, amount }: Omit<Told, 'address'>,
  entry: Pick<AuditEntry, 'at' | 'act' | 'reason'> & { actor?: string },
): D1PreparedStatement {
  const subject = `withdrawal:${id}`
  return insertAuditStatement(db, { actor: 'service', ...entry, account, subject, blockchain, amount })
}

/** The statement that tells the owner of a withdrawal what became of it. */
export function withdrawalEventStatement(
  db: D1Database,
  ...told: Parameters<typeof withdrawalEvent>
): D1PreparedStatement {
  return insertEventStatement(db, withdrawalEvent(...told))
}
