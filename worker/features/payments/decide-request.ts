import type { Output } from './sql/outputs.ts'
import type { PaymentRequest } from './sql/payment-requests.ts'

/** The confirmations that an output needs before it counts as money. */
export interface DepthRule {
  tipHeight: number
  confirmations: number
  coinbaseMaturity: number
  /** Transactions that need more confirmations for what they pay, by txid. */
  deeper?: ReadonlyMap<string, number>
}

/**
 * The decision about a waiting request. The first two are about money; the others only change the state that is shown.
 */
export type RequestDecision = 'settle' | 'expire' | 'seen' | 'open' | 'stay'

/** Whether an output has the confirmations that its kind needs. */
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

/** The smallest payment that an amount with this tolerance requires, in base units, rounded up. Pure. */
export function minimumDue(amount: bigint, tolerancePercent: number): bigint {
  return (amount * BigInt(100 - tolerancePercent) + 99n) / 100n
}

/**
 * The decision about a waiting request. `outputs` are all outputs that ever paid its address.
 * Money that is already balance does not count: it is spent from there. Other money counts if the node saw it before
 * the request expired. So a watcher that was down does not make a timely payment late, and a late payment does not buy
 * at an old price. Timely money that the mempool has evicted may reappear: it holds the request open until `graceMs`
 * after its expiry. The money is enough if it is at least the amount less the tolerance (`due`).
 * The decision depends only on the outputs as they are now, so it may be repeated any number of times.
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
 * The outputs that count as seen by `expiresAt`, each with the part of its amount that counts. An output seen later, but
 * within `graceMs`, that replaced another one has the time of the replaced one, for the amount that this one paid. Pure.
 */
function countInTime(outputs: readonly Output[], expiresAt: number, graceMs: number): Output[] {
  return outputs.flatMap((output) => {
    const { seenAt, earlyAt, earlyAmount } = output
    if (seenAt <= expiresAt) return output
    if (earlyAt === undefined || earlyAmount === undefined) return []
    return earlyAt <= expiresAt && seenAt <= expiresAt + graceMs ? { ...output, amount: earlyAmount } : []
  })
}

/**
 * How long before the expiry money must have been seen to reopen a request, in milliseconds: nodes report whole
 * seconds.
 */
const SECOND = 1_000

/**
 * Whether an expired request was paid in time after all: a node that was down when it expired did not have the blocks
 * that contain its money. `outputs` are all outputs that ever paid its address.
 */
export function wasPaidInTime(
  request: Pick<PaymentRequest, 'amount' | 'expiresAt'>,
  outputs: readonly Output[],
  tolerancePercent: number,
): boolean {
  const inTime = outputs.filter(({ seenAt, credited }) => seenAt <= request.expiresAt - SECOND && !credited)
  return sumOutputs(inTime.filter(isAlive)) >= minimumDue(request.amount, tolerancePercent)
}
