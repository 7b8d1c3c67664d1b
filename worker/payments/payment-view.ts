import type { Blockchain } from '../../protocol/chains.ts'
import type { Output } from '../storage/payments/outputs.ts'
import type { PaymentRequest } from '../storage/payments/payment-requests.ts'
import { coinsJson } from './coins-json.ts'
import { isAlive, sumOutputs } from './decide-request.ts'
import { paymentUri } from './payment-uri.ts'

/** What is known of an address. */
export interface Seen {
  outputs: readonly Output[]
  /** The highest block that is followed. */
  tipHeight: number
  /** How deep a payment has to be. */
  confirmations: number
}

/** An item of a request; absent once it was removed. */
export interface RequestedItem {
  name: string
  storedSize: number | null
  transactions: number | null
}

const NAMES = 3
const seconds = (ms: number) => Math.floor(ms / 1000)

/** A request for payment with all that was seen of its money, as JSON text; `settledAt` in milliseconds. Pure. */
export function requestView(
  request: PaymentRequest & { address: string },
  seen: Seen & { items: readonly RequestedItem[]; settledAt: number | undefined },
): string {
  const { address, target, blockchain, state, amount, itemIds, createdAt, expiresAt } = request
  const { items, settledAt, confirmations } = seen
  const received = sumOutputs(seen.outputs.filter(isAlive))
  const kept = sumOutputs(seen.outputs.filter(({ credited }) => credited)) - (state === 'settled' ? amount : 0n)
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
    names: items.slice(0, NAMES).map(({ name }) => name),
    createdAt: seconds(createdAt),
    expiresAt: seconds(expiresAt),
    settledAt: settledAt === undefined ? null : seconds(settledAt),
    transactionCount: items.reduce((sum, { transactions }) => sum + (transactions ?? 0), 0),
    storedSize: items.reduce((sum, { storedSize }) => sum + (storedSize ?? 0), 0),
  }
  const transactions = transactionsJson(seen, expiresAt)
  return coinsJson(fields, { amount, received, credited: kept > 0n ? kept : 0n }, { transactions })
}

/** A deposit address with all that was seen at it, as JSON text; `createdAt` in milliseconds. Pure. */
export function depositView(
  { address, blockchain, createdAt }: { address: string; blockchain: Blockchain; createdAt: number },
  seen: Seen,
): string {
  const credited = sumOutputs(seen.outputs.filter((output) => output.credited))
  const received = sumOutputs(seen.outputs.filter(isAlive))
  const fields = {
    kind: 'deposit',
    address,
    blockchain,
    paidIn: blockchain,
    state: credited > 0n ? 'credited' : received > 0n ? 'seen' : 'open',
    uri: paymentUri(blockchain, address, 0n),
    confirmations: seen.confirmations,
    items: 0,
    ids: [],
    names: [],
    createdAt: seconds(createdAt),
    expiresAt: null,
    settledAt: null,
    transactionCount: null,
    storedSize: null,
  }
  return coinsJson(fields, { received, credited }, { transactions: transactionsJson(seen, Number.POSITIVE_INFINITY) })
}

/** One entry for each transaction, the oldest first, with what it pays to the address. */
function transactionsJson({ outputs, tipHeight }: Seen, expiresAt: number): string {
  const byTxid = Map.groupBy(outputs, ({ txid }) => txid)
  const entries = [...byTxid].map(([txid, paid]) => {
    const [{ blockHeight, seenAt } = { blockHeight: undefined, seenAt: 0 }] = paid
    const depth = blockHeight === undefined ? 0 : Math.max(0, tipHeight - blockHeight + 1)
    const fields = { txid, depth, seenAt: seconds(seenAt), late: seenAt > expiresAt, replaced: !paid.some(isAlive) }
    return { seenAt, text: coinsJson(fields, { amount: sumOutputs(paid) }) }
  })
  return `[${entries
    .sort((a, b) => a.seenAt - b.seenAt)
    .map(({ text }) => text)
    .join()}]`
}
