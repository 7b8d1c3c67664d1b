/** What the API says of an item, in the order in which it passes through them; the last one needs an operator. */
export const ITEM_STATUSES = ['201 Created', '402 Payment Required', '202 Accepted', '200 OK', '409 Conflict'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** Their numbers alone, by which lists are requested. */
export const ITEM_STATUS_NUMBERS = ITEM_STATUSES.map((text) => text.slice(0, 3))

/** How far a transaction of an item is. */
export const TRANSACTION_STATES = ['waiting', 'sent', 'confirmed', 'stored'] as const

export const PAYMENT_KINDS = ['request', 'deposit'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]
export const PAYMENT_STATES = ['open', 'seen', 'settled', 'expired', 'cancelled', 'credited'] as const
export const WITHDRAWAL_STATES = [
  'waiting',
  'held',
  'sent',
  'confirmed',
  'failed',
  'cancelled',
  'refunded',
  'paid_elsewhere',
] as const
/** What a transaction was that left the wallet and that the database does not know. */
export const SEND_KINDS = ['withdrawal', 'sweep', 'foreign'] as const
export type SendKind = (typeof SEND_KINDS)[number]
/** What an operator decides about a withdrawal. */
export const WITHDRAWAL_ACTS = ['approve', 'refund', 'paid_elsewhere'] as const
export type WithdrawalAct = (typeof WITHDRAWAL_ACTS)[number]
/** What moved money: an output that was credited, a request or a withdrawal that was paid, its fee, or an act by hand. */
export const LEDGER_KINDS = ['deposit', 'late', 'excess', 'payment', 'withdrawal', 'fee', 'refund', 'manual'] as const
export type LedgerKind = (typeof LEDGER_KINDS)[number]

/** What is checked of a domain, in order. */
export const STEPS = ['record', 'target', 'conflict', 'caa', 'certificate', 'answer'] as const
export type StepName = (typeof STEPS)[number]
export const STEP_STATES = ['ok', 'waiting', 'failed', 'unknown'] as const

/** What can be on the denylist, and reported. */
export const DENIED_KINDS = ['txid', 'cid', 'item'] as const
export type DeniedKind = (typeof DENIED_KINDS)[number]
export const REPORT_STATUSES = ['open', 'denied', 'dismissed'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

/** What of a chain can be stopped: money that leaves the wallet for others, or new transactions of items. */
export const STOP_PARTS = ['payouts', 'writing'] as const
export type StopPart = (typeof STOP_PARTS)[number]
/** What stops it: an operator, or an automatic check. */
export const STOP_CAUSES = ['hand', 'restored', 'difference', 'records', 'sends'] as const
export type StopCause = (typeof STOP_CAUSES)[number]

/** Problems of a chain that an operator must check while they last. */
export const INCIDENT_CODES = ['tx_chains_full', 'not_moved'] as const
export type IncidentCode = (typeof INCIDENT_CODES)[number]

/** What an operator can do about a record that is recorded as failed. */
export const RECORD_ACTIONS = ['retry', 'settle', 'credit', 'close'] as const
export type RecordAction = (typeof RECORD_ACTIONS)[number]

/** What items are by their media types; a `website` is a merged folder or an HTML page. */
export const ITEM_KINDS = ['picture', 'film', 'sound', 'text', 'website', 'other'] as const
