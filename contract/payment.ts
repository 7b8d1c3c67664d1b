import { Blockchain, ObjectId, StorageTarget, Txid } from './fields.ts'
import { coins, flag, integer, list, nullable, object, optional, seconds, text, timeOrNull, words } from './schema.ts'

/** What an amount is made of; for requests of long ago it is not known. */
const PRICE_PARTS = {
  networkFee: optional(coins("Of the amount, the network's fees with a margin")),
  storageFee: optional(coins('Of the amount, the price of the service')),
  dustFee: optional(
    coins('Of the amount, what is there because the network relays no smaller output; absent where nothing is'),
  ),
}

export const PaymentRequest = object({
  message: text(),
  amount: coins('What is to be paid'),
  ...PRICE_PARTS,
  address: text('Where to. It is used once.'),
  uri: text('Link by BIP 21 and BIP 321 with what is left to pay.'),
  expiresAt: seconds('Until when the price holds'),
  confirmations: integer('How many a payment needs.'),
  received: coins('What has been seen at the address'),
})

export const Payment = object({
  kind: words(['request', 'deposit']),
  address: text(),
  blockchain: StorageTarget,
  paidIn: Blockchain,
  state: words(['open', 'seen', 'settled', 'expired', 'cancelled', 'credited']),
  amount: optional(coins('What a request asks')),
  ...PRICE_PARTS,
  received: coins('What has been seen at the address, at any depth'),
  credited: coins('Of that, what became balance: late, in excess, or a deposit'),
  uri: text('Link by BIP 21 and BIP 321 with what is left to pay.'),
  confirmations: integer('How many a payment needs.'),
  items: integer('How many items a request pays for.'),
  ids: list(ObjectId),
  names: list(text(), 'Of the first three of them.'),
  transactions: list(
    object({
      txid: Txid,
      amount: coins('What it pays to the address'),
      depth: integer(),
      seenAt: seconds('When it was first seen'),
      late: flag('After the request expired.'),
      replaced: flag('It is in no block, and in no mempool any more.'),
    }),
  ),
  createdAt: seconds('When it was made'),
  expiresAt: timeOrNull('Until when the price holds'),
  settledAt: timeOrNull('When it was paid'),
  transactionCount: nullable(integer(), 'Data transactions that a request pays for.'),
  storedSize: nullable(integer(), 'Bytes that a request pays for.'),
})

export const LedgerEntry = object({
  id: text(),
  at: seconds('When it was moved'),
  blockchain: Blockchain,
  kind: words(
    ['deposit', 'late', 'excess', 'payment', 'withdrawal', 'fee', 'refund', 'manual'],
    '`late`: it came when its request had ended; `excess`: it was paid already; `manual`: an act of the operator.',
  ),
  subject: nullable(
    text(),
    'Where it came from or went to: an address, or the names of the first items that were paid for.',
  ),
  change: coins('What was moved: more than 0 in, less out'),
  balance: coins('The balance after it'),
})

export const Withdrawal = object({
  id: text(),
  blockchain: Blockchain,
  address: text(),
  amount: coins('What is sent'),
  fee: coins('What left the balance beside it'),
  state: words(
    ['waiting', 'sent', 'confirmed', 'failed'],
    '`failed`: it is not sent before an operator acts; `message` says why.',
  ),
  message: optional(text('Why it failed, or what keeps it from being sent for now.')),
  txid: nullable(Txid, 'Once it is sent.'),
  depth: integer('How deep it is on the chain.'),
  createdAt: seconds('When it was asked for'),
})

export const Receipt = object({
  item: ObjectId,
  name: text(),
  blockchain: StorageTarget,
  paidIn: Blockchain,
  amount: coins('What was paid for all items of the request'),
  ...PRICE_PARTS,
  paidAt: seconds('When it was paid'),
  fromBalance: coins('Of the amount, what the balance paid'),
  payments: list(
    object({ txid: Txid, amount: coins('What it paid to the address') }),
    'The transactions that paid the request in time.',
  ),
  items: integer('Items that were paid for together.'),
})
