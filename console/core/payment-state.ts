import { unitsOf } from './coins.ts'

/** The fields of a payment request in the API. */
export interface PaymentFacts {
  state: string
  amount?: number | string | undefined
  received: number | string
  credited: number | string
  confirmations: number
  expiresAt: number | null
  createdAt: number
  transactions: readonly { depth: number; replaced: boolean; late: boolean }[]
}

/**
 * The state of a payment: `open`: nothing arrived; `part`: less than is due; `seen`: enough, but not deep enough;
 * `paid`, `expired` and `cancelled`.
 */
type Standing = 'open' | 'part' | 'seen' | 'paid' | 'expired' | 'cancelled'

export interface PaymentView {
  standing: Standing
  amount: bigint
  received: bigint
  /** The amount left to send; 0 when enough was seen. */
  missing: bigint
  /** Least depth among the transactions that count. */
  depth: number
  /** Whether a payment that was seen was replaced by another transaction. */
  replaced: boolean
  /** Seconds until the price expires; undefined if it does not. */
  left: number | undefined
  /** Whether the time left is shown: only in the last third. */
  showLeft: boolean
}

/** @param now Unix seconds. */
export function viewPayment(payment: PaymentFacts, now: number): PaymentView {
  const amount = unitsOf(payment.amount ?? 0)
  const received = unitsOf(payment.received)
  // What was seen is enough, though it may lack a little of the amount.
  const enough = received >= amount || (payment.state === 'seen' && received > 0n)
  const missing = enough ? 0n : amount - received
  const counting = payment.transactions.filter(({ replaced, late }) => !replaced && !late)
  const open = payment.state === 'open' || payment.state === 'seen'
  const left = open && missing > 0n && payment.expiresAt !== null ? Math.max(0, payment.expiresAt - now) : undefined
  const whole = (payment.expiresAt ?? 0) - payment.createdAt
  return {
    standing: standingOf(payment.state, missing, received),
    amount,
    received,
    missing,
    depth: counting.length === 0 ? 0 : Math.min(...counting.map(({ depth }) => depth)),
    replaced: payment.transactions.some(({ replaced }) => replaced),
    left,
    showLeft: left !== undefined && left * 3 <= whole,
  }
}

function standingOf(state: string, missing: bigint, received: bigint): Standing {
  if (state === 'settled' || state === 'credited') return 'paid'
  if (state === 'expired') return 'expired'
  if (state === 'cancelled') return 'cancelled'
  if (missing === 0n) return 'seen'
  return received > 0n ? 'part' : 'open'
}

/** The minute mark that was passed between two moments and is announced to screen readers. */
export function minuteToAnnounce(before: number, now: number): 5 | 1 | undefined {
  for (const minute of [1, 5] as const) if (before > minute * 60 && now <= minute * 60) return minute
  return undefined
}
