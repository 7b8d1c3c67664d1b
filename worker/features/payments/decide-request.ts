import type { Output } from './sql/outputs.ts'
import type { PaymentRequest } from './sql/payment-requests.ts'

/** How deep an output has to be before it counts as money. */
export interface DepthRule {
  tipHeight: number
  confirmations: number
  coinbaseMaturity: number
  /** Transactions that need more confirmations for what they pay, by txid. */
  deeper?: ReadonlyMap<string, number>
}

/** What happens to a waiting request; the first two decide about money, the others only show where it stands. */
export type RequestDecision = 'settle' | 'expire' | 'seen' | 'open' | 'stay'

/** Whether an output is as deep on the chain as its kind has to be. */
export function isSettled(output: Pick<Output, 'txid' | 'blockHeight' | 'coinbase'>, rule: DepthRule): boolean {
  if (output.blockHeight === undefined) return false
  const usual = Math.max(rule.confirmations, rule.deeper?.get(output.txid) ?? 0)
  const needed = output.coinbase ? Math.max(usual, rule.coinbaseMaturity) : usual
  return rule.tipHeight - output.blockHeight + 1 >= needed
}

/** Whether an output is anywhere now: in a block of the best chain, or in the node's mempool. */
export function isAlive(output: Pick<Output, 'blockHeight' | 'inMempool'>): boolean {
  return output.blockHeight !== undefined || output.inMempool
}

/** Base units of these outputs together. */
export function sumOutputs(outputs: readonly Pick<Output, 'amount'>[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n)
}

/** What has to be paid of an amount that may lack so many percent, in base units, rounded up. Pure. */
export function minimumDue(amount: bigint, tolerancePercent: number): bigint {
  return (amount * BigInt(100 - tolerancePercent) + 99n) / 100n
}

/**
 * What to do with a request that waits, `outputs` being all that ever paid its address. Money that is balance already
 * does not count: it is spent from there. Other money counts when the node saw it before the request expired: a watcher that was down does not turn a payment in time into a late one, and a late
 * one does not buy at an old price. Money in time that the mempool forgot may come back: until `graceMs` after its
 * expiry it keeps the request open. Enough is the amount less what it may lack (`due`). All is derived from the outputs as they are now, so it may run any number of times.
 */
export function decideRequest(
  request: Pick<PaymentRequest, 'amount' | 'state' | 'expiresAt'>,
  outputs: readonly Output[],
  rule: DepthRule & { graceMs: number; tolerancePercent: number },
  now: number,
): RequestDecision {
  const inTime = countInTime(
    outputs.filter(({ credited }) => !credited),
    request.expiresAt,
    rule.graceMs,
  )
  const alive = inTime.filter(isAlive)
  const due = minimumDue(request.amount, rule.tolerancePercent)
  if (sumOutputs(alive.filter((output) => isSettled(output, rule))) >= due) return 'settle'
  if (sumOutputs(alive) >= due) return request.state === 'seen' ? 'stay' : 'seen'
  const seenWhole = sumOutputs(inTime) >= due
  if (now > (seenWhole ? request.expiresAt + rule.graceMs : request.expiresAt)) return 'expire'
  return request.state === 'open' ? 'stay' : 'open'
}

/**
 * The outputs that count as seen by `expiresAt`, each with as much of its amount as does: one that came within `graceMs` in the
 * place of another has the time of that, for what that paid. Pure.
 */
function countInTime(outputs: readonly Output[], expiresAt: number, graceMs: number): Output[] {
  return outputs.flatMap((output) => {
    const { seenAt, earlyAt, earlyAmount } = output
    if (seenAt <= expiresAt) return output
    if (earlyAt === undefined || earlyAmount === undefined) return []
    return earlyAt <= expiresAt && seenAt <= expiresAt + graceMs ? { ...output, amount: earlyAmount } : []
  })
}

/** Before its expiry, how much earlier money has to have come that reopens a request, in milliseconds: nodes tell whole seconds. */
const SECOND = 1_000

/**
 * Whether a request that has expired was paid in time after all: a node that was down when it expired had not met the blocks
 * that held its money. `outputs` are all that ever paid its address.
 */
export function wasPaidInTime(
  request: Pick<PaymentRequest, 'amount' | 'expiresAt'>,
  outputs: readonly Output[],
  tolerancePercent: number,
): boolean {
  const inTime = outputs.filter(({ seenAt, credited }) => seenAt <= request.expiresAt - SECOND && !credited)
  return sumOutputs(inTime.filter(isAlive)) >= minimumDue(request.amount, tolerancePercent)
}
