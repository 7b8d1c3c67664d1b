import type { Context } from 'hono'
import { now } from '../../../platform/clock.ts'
import { type AuditEntry, insertAuditStatement } from '../../../platform/records/audit-log.ts'
import type { Caller } from '../../auth/find-caller.ts'
import type { IdempotentEnv, RecordAnswer } from '../../auth/idempotency/idempotent.ts'
import type { CallerEnv } from '../../auth/require-token.ts'

type Act = Omit<AuditEntry, 'at' | 'actor'>
type CallerContext = Pick<Context<CallerEnv>, 'env'> & { get(name: 'caller'): Caller }

/** The audit entry of an act of the caller, for the batch of the act. */
export function auditAct(c: CallerContext, act: Act): D1PreparedStatement {
  return insertAuditStatement(c.env.DB, { at: now(), actor: c.get('caller').userId, ...act })
}

/** What is written in the batch of an act: its audit entry, and its answer for the Idempotency-Key. */
export function recordAct(
  c: Context<IdempotentEnv>,
  act: Act,
  answer: Parameters<RecordAnswer>[0],
): D1PreparedStatement[] {
  return [auditAct(c, act), ...c.get('record')(answer)]
}
