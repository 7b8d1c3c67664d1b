import * as v from 'valibot'
import { Blockchain, coinsText, FROM_CURSOR, ItemId, MoneyChain, named, pageOf, StorageTarget, Txid } from './fields.ts'
import { MAX_ESTIMATED_FILES, MAX_PAID_ITEMS } from './limits.ts'
import {
  coins,
  count,
  either,
  flag,
  integer,
  list,
  noted,
  nullable,
  number,
  type Output,
  object,
  optional,
  record,
  seconds,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { LEDGER_KINDS, PAYMENT_KINDS, PAYMENT_STATES, WITHDRAWAL_STATES } from './states.ts'

const NO_IDS = 'must be a list of at least one object id.'

/** What an amount is made of. */
const PRICE_PARTS = {
  networkFee: coins("Of the amount, the network's fees with a margin"),
  storageFee: coins('Of the amount, the price of the service'),
  dustFee: optional(
    coins('Of the amount, what is there because the network relays no smaller output; absent where nothing is'),
  ),
}

export const PaymentRequest = object({
  message: text(),
  amount: coins('What is to be paid'),
  ...PRICE_PARTS,
  address: named('request address', text('Where to. It is used once.')),
  uri: text('Link by BIP 21 and BIP 321 with what is left to pay.'),
  expiresAt: seconds('Until when the price holds'),
  confirmations: integer('How many a payment needs.'),
  received: coins('What has been seen at the address'),
})

export const Payment = object({
  kind: words(PAYMENT_KINDS),
  address: named('request address', text()),
  blockchain: StorageTarget,
  paidIn: Blockchain,
  state: words(PAYMENT_STATES),
  amount: optional(coins('What a request asks')),
  ...PRICE_PARTS,
  networkFee: optional(PRICE_PARTS.networkFee),
  storageFee: optional(PRICE_PARTS.storageFee),
  minDeposit: optional(coins('Of a deposit: what all that are not credited yet have to be together')),
  received: coins('What has been seen at the address, at any depth'),
  credited: coins('Of that, what became balance: late, in excess, or a deposit'),
  uri: text('Link by BIP 21 and BIP 321 with what is left to pay.'),
  confirmations: integer('How many a payment needs.'),
  items: integer('How many items a request pays for.'),
  ids: list(ItemId),
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
    LEDGER_KINDS,
    '`late`: its request had ended; `excess`: its request was already paid; `manual`: by the operator.',
  ),
  subject: nullable(
    text(),
    'Its source or destination: an address, or the names of the first items that were paid for.',
  ),
  change: coins('What was moved: more than 0 in, less out'),
  balance: coins('The balance after it'),
})

export const Withdrawal = object({
  id: named('withdrawal', text()),
  blockchain: Blockchain,
  address: text(),
  amount: coins('What is sent'),
  fee: coins('What left the balance beside it'),
  state: words(
    WITHDRAWAL_STATES,
    '`held`: above a limit, until an operator approves it; `failed`: it is not sent before an operator acts; `cancelled` by you or `refunded` by an operator: the money is back; `paid_elsewhere`: an operator paid it in another way. `message` says why.',
  ),
  message: optional(text('Why it failed, or why it cannot be sent now.')),
  since: optional(seconds('Since when it waits for that')),
  txid: nullable(Txid, 'Once it is sent.'),
  depth: integer('How deep it is on the chain.'),
  createdAt: seconds('When it was asked for'),
})

export const Receipt = object({
  number: text('Of the receipt; the same for all items that were paid for together.'),
  seller: list(text(), 'Who sells, line by line; empty where the operator names nobody.'),
  buyer: text('Who buys, as the account wrote it; lines. It may be empty.'),
  item: ItemId,
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
  lines: list(object({ item: ItemId, name: text(), size: integer('Bytes of the content.') }), 'Each of them.'),
  rates: record(number(), 'By currency, what one coin was worth when it was paid; empty where that was not known.'),
  index: optional(noted(Txid, 'By which what is stored is read, where it has an index.')),
})

/** What is left to be paid, and for what. */
export const NewPayment = object({
  blockchain: StorageTarget,
  ids: v.pipe(
    noted(v.array(ItemId, NO_IDS), undefined, { minItems: 1, maxItems: MAX_PAID_ITEMS }),
    v.check((ids) => ids.length > 0, NO_IDS),
    v.transform((ids) => [...new Set(ids)]),
    v.check((ids) => ids.length <= MAX_PAID_ITEMS, `must hold at most ${MAX_PAID_ITEMS} items.`),
  ),
  maxFromBalance: optional(
    coinsText('The most that your balance may pay, in coins; "0" uses none of it. Without it, there is no limit.'),
  ),
})
/** Where a deposit address is made for. */
export const TargetPath = object({ blockchain: noted(StorageTarget, 'The storage target.') })
/** Which payments are listed, or the one that is looked at. */
export const PaymentQuery = object({
  address: optional(named('address', text('One: then the answer is the Payment itself.'))),
  kind: optional(words(PAYMENT_KINDS, 'Only these.')),
  ...FROM_CURSOR,
})
export const PaymentAddress = object({ address: named('request address', text()) })
const minDeposit = coins('What all deposits that are not credited yet have to be together; until then they are pending')
export const DepositAddress = object({ address: named('address', text()), minDeposit })
export const PaymentOrPage = either([Payment, pageOf('payments', Payment)])

export const Target = object({
  blockchain: StorageTarget,
  available: flag(),
  reason: nullable(text(), 'A sentence: why nothing can be stored there now.'),
  paidIn: Blockchain,
  maxFileBytes: integer('Of a file by its own size; more is refused before the upload.'),
  maxIncompressibleBytes: integer(
    'Of a file of which nothing can be compressed; a larger one may be refused at its merge.',
  ),
  maxFiles: integer('Of one order, or of one folder on IPFS.'),
  maxDataBytes: nullable(integer(), 'Data bytes of one transaction; null for IPFS.'),
  offersIndex: flag('Whether content of several transactions may have an index.'),
  confirmations: integer('Depth at which a payment settles.'),
  minutes: number('Usual minutes from a payment until it is written, before its depth.'),
})
export type Target = Output<typeof Target>

/** Files that are not there yet: what they are says nothing of their price at most. */
export const NewEstimate = object({
  blockchain: StorageTarget,
  files: list(object({ size: count(), mimetype: optional(text()) }), undefined, {
    least: 1,
    most: MAX_ESTIMATED_FILES,
    sentence: `must be a list of 1 to ${MAX_ESTIMATED_FILES} files with their sizes.`,
  }),
  directory: optional(flag('Whether the files become one directory: one item, on a chain one website.')),
  index: optional(flag('As for a merge: whether content of several transactions has an index.')),
})
export type NewEstimate = Output<typeof NewEstimate>

/** Why a file can't be stored on a target, and the targets that accept it. */
export const RefusedEstimate = object({ message: text(), code: text(), targets: list(StorageTarget) })

export const Estimate = object({
  blockchain: StorageTarget,
  paidIn: Blockchain,
  amount: coins('What it costs at most'),
  networkFee: coins("The network's fees, with a margin"),
  storageFee: coins("This service's price"),
  dustFee: optional(coins('Added because the network relays no smaller output; only where it is more than nothing')),
  transactions: integer('Data transactions at most.'),
  readAt: seconds('When the fee rate was read'),
})

/** Money to be sent out of a balance, or of the service's wallet; whether the address is one, the node says. */
export const NewWithdrawal = object({
  blockchain: MoneyChain,
  address: noted(text(), undefined, { maxLength: 90 }),
  amount: coinsText('In coins, a decimal number as text.'),
  maxFee: optional(coinsText('The most that it may cost beside the amount.')),
})
export type NewWithdrawal = Output<typeof NewWithdrawal>
export const FeeQuery = object({ blockchain: noted(MoneyChain, 'The chain.') })

/** What a withdrawal that waits may cost. */
export const FeeConsent = object({ maxFee: coinsText('The most that it may cost beside the amount, in coins.') })

export const WithdrawalFee = object({
  fee: number('What it costs beside the amount, in coins.'),
  most: number('The most that can be sent, the fee left out, in coins.'),
  readAt: seconds('When the fee rate was read'),
})
export const RefusedWithdrawal = object({
  message: text(),
  code: text(),
  balance: optional(number()),
  fee: optional(number()),
  maxFee: optional(number()),
})
