import type { Blockchain } from '../../../protocol/chains.ts'
import { unixSeconds, unixSecondsOrNull } from '../../platform/clock.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { confirmationsFor } from './confirmations-above.ts'
import { isAlive, sumOutputs } from './decide-request.ts'
import { paymentParts } from './payment-parts.ts'
import { paymentUri } from './payment-uri.ts'
import type { Output } from './sql/outputs.ts'
import type { RequestSummary } from './sql/payment-list.ts'
import type { PaymentRequest } from './sql/payment-requests.ts'

/** What is known of an address. */
export interface SeenPayment {
  outputs: readonly Output[]
  /** The highest block that is followed. */
  tipHeight: number
  /** The required confirmations, and the sum that deposits must reach to be credited. */
  chain: Pick<ChainConfig, 'confirmations' | 'confirmationsAbove' | 'minDeposit'>
}

/** A request for payment with all that was seen of its money, as JSON text. Pure. */
export function requestView(
  request: PaymentRequest & { address: string },
  seen: SeenPayment & { summary: RequestSummary },
): string {
  const { address, target, blockchain, state, amount, itemIds, createdAt, expiresAt } = request
  const confirmations = confirmationsFor(amount, seen.chain)
  const { names, storedSize, transactions: transactionCount, settledAt } = seen.summary
  const received = sumOutputs(seen.outputs.filter(isAlive))
  const left = state === 'open' || state === 'seen' ? amount - received : 0n
  const fields = {
    kind: 'request',
    address,
    blockchain: target,
    paidIn: blockchain,
    state,
    uri: paymentUri(blockchain, address, left),
    confirmations,
    items: itemIds.length,
    ids: itemIds,
    names,
    createdAt: unixSeconds(createdAt),
    expiresAt: unixSeconds(expiresAt),
    settledAt: unixSecondsOrNull(settledAt),
    transactionCount,
    storedSize,
  }
  const transactions = transactionsJson(seen, expiresAt)
  const coins = {
    amount,
    ...paymentParts(request),
    received,
    credited: creditedOf({ state, amount: seen.summary.paid ?? amount }, seen),
  }
  return coinsJson(fields, coins, { transactions })
}

/** How much of the money received for a request became balance, in base units. */
export function creditedOf(
  { state, amount }: Pick<PaymentRequest, 'state' | 'amount'>,
  { outputs }: SeenPayment,
): bigint {
  const kept = sumOutputs(outputs.filter(({ credited }) => credited)) - (state === 'settled' ? amount : 0n)
  return kept > 0n ? kept : 0n
}

/** The state of a deposit. */
export function depositState({ outputs }: SeenPayment): 'open' | 'seen' | 'credited' {
  if (outputs.some(({ credited }) => credited)) return 'credited'
  return outputs.some(isAlive) ? 'seen' : 'open'
}

/** A deposit address with all that was seen at it, as JSON text; `createdAt` in milliseconds. Pure. */
export function depositView(
  { address, blockchain, createdAt }: { address: string; blockchain: Blockchain; createdAt: number },
  seen: SeenPayment,
): string {
  const credited = sumOutputs(seen.outputs.filter((output) => output.credited))
  const received = sumOutputs(seen.outputs.filter(isAlive))
  const fields = {
    kind: 'deposit',
    address,
    blockchain,
    paidIn: blockchain,
    state: depositState(seen),
    uri: paymentUri(blockchain, address, 0n),
    confirmations: confirmationsFor(received, seen.chain),
    items: 0,
    ids: [],
    names: [],
    createdAt: unixSeconds(createdAt),
    expiresAt: null,
    settledAt: null,
    transactionCount: null,
    storedSize: null,
  }
  const { minDeposit } = seen.chain
  return coinsJson(
    fields,
    { minDeposit, received, credited },
    { transactions: transactionsJson(seen, Number.POSITIVE_INFINITY) },
  )
}

/** One entry for each transaction, the oldest first, with what it pays to the address. */
function transactionsJson({ outputs, tipHeight }: SeenPayment, expiresAt: number): string {
  // A payer who raised the fee has paid once.
  const replaced = new Set(outputs.flatMap(({ replaces }) => replaces ?? []))
  const byTxid = Map.groupBy(
    outputs.filter((output) => isAlive(output) || !replaced.has(output.txid)),
    ({ txid }) => txid,
  )
  const entries = [...byTxid].flatMap(([txid, paid]) => {
    const [first] = paid
    if (!first) return []
    const { blockHeight, seenAt, earlyAt = seenAt } = first
    const depth = blockHeight === undefined ? 0 : Math.max(0, tipHeight - blockHeight + 1)
    const fields = {
      txid,
      depth,
      seenAt: unixSeconds(seenAt),
      late: earlyAt > expiresAt,
      replaced: !paid.some(isAlive),
    }
    return { seenAt, text: coinsJson(fields, { amount: sumOutputs(paid) }) }
  })
  return `[${entries
    .sort((a, b) => a.seenAt - b.seenAt)
    .map(({ text }) => text)
    .join()}]`
}
