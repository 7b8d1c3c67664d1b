import { formatAmount } from '../../../protocol/amount.ts'
import type { NewEvent } from '../../platform/records/event-queue.ts'

/** What an event says of a request; `amount` in base units. */
interface ToldRequest {
  id: string
  userId: string
  target: string
  blockchain: string
  address: string | undefined
  itemIds: readonly string[]
  amount: bigint
}

/**
 * The event of a request whose state is now `state`. `address` is null for one that was paid from the balance at once.
 */
export function requestEvent(
  request: ToldRequest,
  state: 'open' | 'seen' | 'settled' | 'expired' | 'cancelled',
  now: number,
): NewEvent {
  const { id, userId, target, blockchain, address, itemIds, amount } = request
  const fields = { address: address ?? null, blockchain: target, paidIn: blockchain, ids: itemIds }
  const data = `${JSON.stringify(fields).slice(0, -1)},"amount":${formatAmount(amount)}}`
  return { userId, type: `request.${state}`, subject: address ?? id, data, at: now }
}

/** The event of a payment that was seen at a deposit address. */
export function depositEvent(deposit: { userId: string; blockchain: string; address: string }, now: number): NewEvent {
  const { userId, blockchain, address } = deposit
  return { userId, type: 'deposit.seen', subject: address, data: JSON.stringify({ address, blockchain }), at: now }
}

/** The event of money that became balance: late or too much for a request, or at a deposit address. */
export function creditEvent(
  kind: 'request' | 'deposit',
  output: { userId: string; blockchain: string; address: string; txid: string; vout: number; amount: bigint },
  now: number,
): NewEvent {
  const { userId, blockchain, address, txid, vout, amount } = output
  const data = `${JSON.stringify({ address, blockchain, txid, vout }).slice(0, -1)},"amount":${formatAmount(amount)}}`
  const type = kind === 'request' ? 'request.late' : 'deposit.credited'
  return { userId, type, subject: address, data, at: now }
}
