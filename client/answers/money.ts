import {
  type Answer,
  amount,
  answerReader,
  blockchain,
  flag,
  number,
  optional,
  storageTarget,
  text,
  texts,
  withDefault,
} from './answer-shape.ts'

/** Amounts are decimal numbers of coins, as text; times are Unix seconds. */

export const readPaymentRequest = answerReader('The payment request', {
  address: text,
  amount,
  received: withDefault(amount, '0'),
  /** BIP 21 link with what is left to pay. */
  uri: text,
  /** Unix seconds until which the price holds. */
  expiresAt: number,
  confirmations: number,
  message: withDefault(text, ''),
  state: optional(text),
  networkFee: optional(amount),
  storageFee: optional(amount),
  blockchain: optional(storageTarget),
  ids: optional(texts),
})
/** What is to be paid, and where to. Amounts are decimal numbers of coins, as text. */
export type PaymentRequest = Answer<typeof readPaymentRequest>

/** How a payment was answered: nothing is left to pay, or this request is. */
export type Payment = { paid: true; message: string } | { paid: false; request: PaymentRequest }

export const readPaymentRecord = answerReader('The payment', {
  kind: text,
  address: text,
  blockchain: storageTarget,
  state: text,
  amount: optional(amount),
  received: withDefault(amount, '0'),
  uri: optional(text),
  /** Unix seconds. */
  expiresAt: optional(number),
  confirmations: optional(number),
  ids: withDefault<string[]>(texts, []),
})
/** A payment request or a deposit, with what became of it. */
export type PaymentRecord = Answer<typeof readPaymentRecord>

export const readEstimate = answerReader('The estimate', {
  amount,
  networkFee: amount,
  storageFee: amount,
  /** What it is dearer for the chain's smallest payment. */
  dustFee: optional(amount),
  /** The chain whose coin it is. */
  paidIn: optional(storageTarget),
  transactions: number,
  /** Unix seconds. */
  readAt: number,
})
/** What files would cost now: an upper bound, in coins. */
export type Estimate = Answer<typeof readEstimate>

export const readTarget = answerReader('The storage target', {
  blockchain: storageTarget,
  available: flag,
  /** Why it is not available. */
  reason: optional(text),
  paidIn: optional(storageTarget),
  maxFileBytes: optional(number),
  confirmations: optional(number),
  /** Usual minutes until an item is stored. */
  minutes: optional(number),
})
/** A storage target, and whether it can be had now. */
export type Target = Answer<typeof readTarget>

export const readWithdrawal = answerReader('The withdrawal', {
  id: text,
  blockchain,
  address: text,
  amount,
  fee: optional(amount),
  state: text,
  txid: optional(text),
  createdAt: optional(number),
})
export type Withdrawal = Answer<typeof readWithdrawal>

export const readLedgerEntry = answerReader('The ledger entry', {
  id: (entry, name) => String(entry.get(name)),
  blockchain,
  kind: text,
  change: amount,
  /** What the account has behind it. */
  balance: optional(amount),
  subject: optional(text),
  /** Unix seconds. */
  at: number,
})
/** One move of the account's money; negative amounts leave it. */
export type LedgerEntry = Answer<typeof readLedgerEntry>
