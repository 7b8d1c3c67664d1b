import { MAX_ITEMS } from '../payments/parse-order.ts'
import {
  type Answer,
  common,
  FROM_CURSOR,
  idempotent,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  pageSchema,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { MESSAGE, OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Paying'] as const
const UNAVAILABLE = refusal('Payment with that blockchain is unavailable at the moment.')

/** An answer that can be had as a table of comma-separated values too. */
const table = ({ content, ...answer }: Answer): Answer => ({
  ...answer,
  headers: { Link: { description: 'Of a table: the rest of it, `rel="next"`.', schema: { type: 'string' } } },
  content: { ...content, 'text/csv': {} },
})

export const PAYMENT_PATHS: Paths = {
  '/v0/ledger': {
    get: {
      tags,
      operationId: 'listLedger',
      summary: 'List every move of your money',
      description:
        'The latest first, 50 a page, with the balance after each. With `Accept: text/csv`: a table of up to 10,000, the rest by `Link`. Text that a spreadsheet would run as a formula has an apostrophe before it.',
      security: token('pay'),
      parameters: [FROM_CURSOR],
      responses: {
        '200': table(page('A page.', 'entries', 'LedgerEntry')),
        ...common('400', '401', '403'),
      },
    },
  },
  '/v0/withdrawal': {
    get: {
      tags,
      operationId: 'listWithdrawals',
      summary: 'List your withdrawals',
      description: 'Newest first, 50 a page.',
      security: token('pay'),
      parameters: [FROM_CURSOR],
      responses: {
        '200': page('A page.', 'withdrawals', 'Withdrawal'),
        ...common('400', '401', '403'),
      },
    },
    post: idempotent({
      tags,
      operationId: 'withdraw',
      summary: 'Take money out of your balance',
      description:
        'The amount and the fee of the network leave the balance at once; it is sent within seconds, later where fees rise far above that fee or the wallet waits for coins. Needs a login of the last ten minutes. An address is good if the node of the chain says so.',
      security: token('pay'),
      requestBody: jsonBody(
        object(
          {
            blockchain: ref('Blockchain'),
            address: { type: 'string', maxLength: 90 },
            amount: { type: 'string', description: 'In coins, a decimal number as text.' },
            maxFee: { type: 'string', description: 'The most that it may cost beside the amount.' },
          },
          ['maxFee'],
        ),
        { blockchain: 'Bitcoin', address: 'bc1q…', amount: '0.02', maxFee: '0.0001' },
      ),
      responses: {
        '201': json('It is on its way.', ref('Withdrawal')),
        ...common(...TOKEN_AND_BODY),
        '409': json(
          'The balance does not cover amount and fee, or the fee is above `maxFee`.',
          object(
            {
              message: { type: 'string' },
              code: { type: 'string' },
              balance: { type: 'number' },
              fee: { type: 'number' },
              maxFee: { type: 'number' },
            },
            ['balance', 'fee', 'maxFee'],
          ),
        ),
        '503': UNAVAILABLE,
      },
    }),
  },
  '/v0/withdrawal/fee': {
    get: {
      tags,
      operationId: 'quoteWithdrawal',
      summary: 'What a withdrawal costs now',
      security: token('pay'),
      parameters: [{ ...inQuery('blockchain', 'The chain.', ref('Blockchain')), required: true }],
      responses: {
        '200': json(
          'The fee, and the most that can be taken out.',
          object({
            fee: { type: 'number', description: 'What it costs beside the amount, in coins.' },
            most: { type: 'number', description: 'The most that can be sent, the fee left out, in coins.' },
            readAt: { type: 'integer', description: 'When the fee rate was read, in Unix seconds.' },
          }),
        ),
        ...common('400', '401', '403'),
        '503': UNAVAILABLE,
      },
    },
  },
  '/v0/payment/{blockchain}': {
    get: {
      tags,
      operationId: 'createAddress',
      summary: 'Get a deposit address',
      description:
        'A new one each call, for one use; what arrives there, or at any earlier one, becomes your balance. At most 10 a minute. For `IPFS` it is of the chain that IPFS is paid in.',
      security: token('pay'),
      parameters: [inPath('blockchain', 'The storage target.', ref('StorageTarget'))],
      responses: {
        '200': json('The address.', object({ address: { type: 'string' } })),
        '409': refusal('Too many addresses of yours wait for their first payment.'),
        ...common('400', '401', '403'),
        '503': UNAVAILABLE,
      },
    },
  },
  '/v0/payment': {
    get: {
      tags,
      operationId: 'listPayments',
      summary: 'List your payment requests and deposits, or look at one',
      description:
        'Newest first, 50 a page, each with the transactions that were seen at its address; addresses that nothing came to are left out, and what was paid from the balance at once stands in the ledger. With `address`: that one alone. With `Accept: text/csv`: a table of up to 1,000, the rest by `Link`.',
      security: token('pay'),
      parameters: [inQuery('address', 'One: then the answer is the Payment itself.'), FROM_CURSOR],
      responses: {
        '200': table(
          json('A page, or the one.', {
            oneOf: [ref('Payment'), pageSchema('payments', 'Payment')],
          }),
        ),
        ...common('400', '401', '403', '404'),
      },
    },
    post: idempotent({
      tags,
      operationId: 'requestPayment',
      summary: 'Ask what items cost, and pay',
      description:
        'Asking again for the same items gives the same open request. If your balance covers the whole, it is paid from it at once; with `maxFromBalance` only if it costs no more than that.',
      security: token('pay'),
      requestBody: jsonBody(
        object(
          {
            blockchain: ref('StorageTarget'),
            ids: { type: 'array', items: OBJECT_ID, minItems: 1, maxItems: MAX_ITEMS },
            maxFromBalance: {
              type: 'string',
              description:
                'The most that your balance may pay, in coins; "0" leaves it alone. Without it, whatever it costs.',
            },
          },
          ['maxFromBalance'],
        ),
        { blockchain: 'Nativecoin', ids: ['6b01a4cc8a40fc232d317ec6'] },
      ),
      responses: {
        '200': json('Paid from your balance, or nothing is left to pay.', MESSAGE),
        '402': json('Not a failure: what to pay, and where to.', ref('PaymentRequest'), {
          message: 'Nativecoin is waiting for a transfer of 0.00213 to ncrt1q….',
          amount: 0.00213,
          networkFee: 0.00203,
          storageFee: 0.0001,
          address: 'ncrt1q…',
          uri: 'nativecoin:ncrt1q…?amount=0.00213',
          expiresAt: 1_795_269_600,
          confirmations: 3,
          received: 0,
        }),
        ...common(...TOKEN_AND_BODY, '404', '451'),
        '409': refusal('An item is not in `402 Payment Required`, or waits in another request.'),
        '503': UNAVAILABLE,
      },
    }),
    delete: {
      tags,
      operationId: 'cancelPayment',
      summary: 'Cancel a payment request',
      description:
        'Removes its items with their folders and chunks. What still arrives at the address becomes balance.',
      security: token('pay'),
      requestBody: jsonBody(object({ address: { type: 'string' } })),
      responses: {
        '200': json('It is cancelled.', MESSAGE),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal('Money has been seen at the address.'),
        '503': refusal('The node cannot be asked whether money came. Nothing was removed.'),
      },
    },
  },
}
