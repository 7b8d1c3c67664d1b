import { LIFETIMES } from './lifetimes.ts'

/** Days that a successful login and the end of a session are stored. */
const DAYS_OF_LOGINS = LIFETIMES.auditedLogin / 86_400

/**
 * Every act that the audit log knows, with the days that its rows are stored; `undefined` is for ever. A name says what
 * was done to what, in the past tense.
 */
export const AUDIT_ACTS = {
  'login.made': DAYS_OF_LOGINS,
  'session.ended': DAYS_OF_LOGINS,
  'sessions.ended': DAYS_OF_LOGINS,
  'password.changed': undefined,
  'email.changed': undefined,
  'key.made': undefined,
  'key.deleted': undefined,
  'webhook.added': undefined,
  'webhook.deleted': undefined,
  'webhook.paused': undefined,
  'webhook.resumed': undefined,
  'passkey.added': undefined,
  'passkey.deleted': undefined,
  'role.changed': undefined,
  'identity.confirmed': undefined,
  'account.closed': undefined,
  'denial.added': undefined,
  'denial.lifted': undefined,
  'denylist.imported': undefined,
  'address.withdrawn': undefined,
  'report.decided': undefined,
  'withdrawal.asked': undefined,
  'withdrawal.cancelled': undefined,
  'withdrawal.decided': undefined,
  'withdrawal.ended': undefined,
  'item.retried': undefined,
  'item.taken_down': undefined,
  'record.retried': undefined,
  'record.closed': undefined,
  'payment.settled': undefined,
  'payment.credited': undefined,
  'deposit.written_off': undefined,
  'balance.paid_out': undefined,
  'tx_chain.closed': undefined,
  'scan.rewound': undefined,
  'chain.accepted': undefined,
  'chain.stopped': undefined,
  'chain.released': undefined,
  'send.assigned': undefined,
  'sends.assigned': undefined,
  'coins.swept': undefined,
  'coins.consolidated': undefined,
} as const satisfies Record<string, number | undefined>

export type AuditAct = keyof typeof AUDIT_ACTS

/** Until when a row of this act is stored, in milliseconds; `undefined` for ever. */
export function retainedUntil(act: AuditAct, at: number): number | undefined {
  const days = AUDIT_ACTS[act]
  return days === undefined ? undefined : at + days * 86_400_000
}
