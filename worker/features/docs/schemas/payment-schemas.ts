import { object, ref, type Schema } from '../operation.ts'
import { coins, OBJECT_ID, seconds, TXID } from './field-schemas.ts'

/** What an amount is made of; for requests of long ago it is not known. */
const PRICE_PARTS = {
  networkFee: coins("Of the amount, the network's fees with a margin"),
  storageFee: coins('Of the amount, the price of the service'),
  dustFee: coins('Of the amount, what is there because the network relays no smaller output; absent where nothing is'),
}
const PART_NAMES = ['networkFee', 'storageFee', 'dustFee']

/** Requests, deposits, withdrawals, and what they moved. */
export const PAYMENT_SCHEMAS: Record<string, Schema> = {
  PaymentRequest: object(
    {
      message: { type: 'string' },
      amount: coins('What is to be paid'),
      ...PRICE_PARTS,
      address: { type: 'string', description: 'Where to. It is used once.' },
      uri: { type: 'string', description: 'Link by BIP 21 and BIP 321 with what is left to pay.' },
      expiresAt: seconds('Until when the price holds'),
      confirmations: { type: 'integer', description: 'How many a payment needs.' },
      received: coins('What has been seen at the address'),
    },
    PART_NAMES,
  ),
  Payment: object(
    {
      kind: { type: 'string', enum: ['request', 'deposit'] },
      address: { type: 'string' },
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      state: { type: 'string', enum: ['open', 'seen', 'settled', 'expired', 'cancelled', 'credited'] },
      amount: coins('What a request asks'),
      ...PRICE_PARTS,
      received: coins('What has been seen at the address, at any depth'),
      credited: coins('Of that, what became balance: late, in excess, or a deposit'),
      uri: { type: 'string', description: 'Link by BIP 21 and BIP 321 with what is left to pay.' },
      confirmations: { type: 'integer', description: 'How many a payment needs.' },
      items: { type: 'integer', description: 'How many items a request pays for.' },
      ids: { type: 'array', items: OBJECT_ID },
      names: { type: 'array', items: { type: 'string' }, description: 'Of the first three of them.' },
      transactions: {
        type: 'array',
        items: object({
          txid: TXID,
          amount: coins('What it pays to the address'),
          depth: { type: 'integer' },
          seenAt: seconds('When it was first seen'),
          late: { type: 'boolean', description: 'After the request expired.' },
          replaced: { type: 'boolean', description: 'It is in no block, and in no mempool any more.' },
        }),
      },
      createdAt: seconds('When it was made'),
      expiresAt: { type: ['integer', 'null'], description: 'Until when the price holds, in Unix seconds.' },
      settledAt: { type: ['integer', 'null'], description: 'When it was paid, in Unix seconds.' },
      transactionCount: { type: ['integer', 'null'], description: 'Data transactions that a request pays for.' },
      storedSize: { type: ['integer', 'null'], description: 'Bytes that a request pays for.' },
    },
    ['amount', ...PART_NAMES],
  ),
  LedgerEntry: object({
    id: { type: 'string' },
    at: seconds('When it was moved'),
    blockchain: ref('Blockchain'),
    kind: {
      type: 'string',
      enum: ['deposit', 'late', 'excess', 'payment', 'withdrawal', 'fee', 'refund', 'manual'],
      description:
        '`late`: it came when its request had ended; `excess`: it was paid already; `manual`: an act of the operator.',
    },
    subject: {
      type: ['string', 'null'],
      description: 'Where it came from or went to: an address, or the names of the first items that were paid for.',
    },
    change: coins('What was moved: more than 0 in, less out'),
    balance: coins('The balance after it'),
  }),
  Withdrawal: object(
    {
      id: { type: 'string' },
      blockchain: ref('Blockchain'),
      address: { type: 'string' },
      amount: coins('What is sent'),
      fee: coins('What left the balance beside it'),
      state: {
        type: 'string',
        enum: ['waiting', 'sent', 'confirmed', 'failed'],
        description: '`failed`: it is not sent before an operator acts; `message` says why.',
      },
      message: { type: 'string', description: 'Why it failed, or what keeps it from being sent for now.' },
      txid: { oneOf: [TXID, { type: 'null' }], description: 'Once it is sent.' },
      depth: { type: 'integer', description: 'How deep it is on the chain.' },
      createdAt: seconds('When it was asked for'),
    },
    ['message'],
  ),
  Receipt: object(
    {
      item: OBJECT_ID,
      name: { type: 'string' },
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      amount: coins('What was paid for all items of the request'),
      ...PRICE_PARTS,
      paidAt: seconds('When it was paid'),
      fromBalance: coins('Of the amount, what the balance paid'),
      payments: {
        type: 'array',
        items: object({ txid: TXID, amount: coins('What it paid to the address') }),
        description: 'The transactions that paid the request in time.',
      },
      items: { type: 'integer', description: 'Items that were paid for together.' },
    },
    PART_NAMES,
  ),
}
