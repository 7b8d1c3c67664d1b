import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { HooklineError } from '../http/api-error.ts'
import { isRecord } from '../http/parse-json.ts'
import type { ContentSource, PaymentRequest, Profile } from '../types.ts'
import { readerOf } from './read-answer.ts'

const readWholeProfile = readerOf('Profile')

export function readProfile(value: unknown): Profile {
  const { role, permissions, ...profile } = readWholeProfile(value)
  return { ...profile, role: role.name, permissions: permissions.map(({ name }) => name) }
}

const readPaymentFields = readerOf('PaymentRequest')
const readPayment = readerOf('Payment')

/** A payment request as the service returns it to the account that asked for it. */
export const readPaymentRequest = (value: unknown): PaymentRequest => ({
  ...readConsistentPayment(value),
  state: undefined,
  blockchain: undefined,
  ids: undefined,
})

/**
 * Wallets pay what the link says, people and limits look at the fields beside it, so both must name the same payment.
 */
function readConsistentPayment(value: unknown): ReturnType<typeof readPaymentFields> {
  const request = readPaymentFields(value)
  const { uri, address, amount, received } = request
  const left = parseAmount(amount) - parseAmount(received)
  const [, rest] = /^[a-z]+:(.*)$/.exec(uri) ?? []
  const mostPaid = rest === address || rest === `${address}?amount=${formatAmount(left)}`
  if (mostPaid && parseAmount(received) >= 0n && left <= parseAmount(amount)) return request
  throw new HooklineError('unexpected_answer', 'The payment link names another address or amount than its request.')
}

/** The same request, read by its payment address. */
export function readRequestOfAddress(value: unknown): PaymentRequest {
  const { state, blockchain, ids } = readPayment(value)
  return { ...readConsistentPayment({ message: '', ...(isRecord(value) && value) }), state, blockchain, ids }
}

const readWholeSource = readerOf('Source')

export function readSource(value: unknown): ContentSource {
  const { blockchain, txids, cid } = readWholeSource(value)
  if (blockchain !== 'IPFS' && txids) return { blockchain, txids }
  if (blockchain === 'IPFS' && cid !== undefined) return { blockchain, cid }
  throw new HooklineError('unexpected_answer', "The service's answer names no txids and no CID.")
}
