import { MAX_ITEMS } from '../payments/parse-order.ts'
import {
  common,
  idempotent,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { MESSAGE, OBJECT_ID } from './schemas.ts'

const tags = ['Paying'] as const
const UNAVAILABLE = refusal('Payment with that blockchain is unavailable at the moment.')

export const PAYMENT_PATHS: Paths = {
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
      operationId: 'readPayment',
      summary: 'Look at a payment request or a deposit',
      description: 'With every transaction that was seen at its address.',
      security: token('pay'),
      parameters: [{ ...inQuery('address', 'Where the money goes to.'), required: true }],
      responses: { '200': json('As it stands.', ref('Payment')), ...common('400', '401', '403', '404') },
    },
    post: idempotent({
      tags,
      operationId: 'requestPayment',
      summary: 'Ask what items cost, and pay',
      description:
        'Asking again for the same items gives the same open request. If your balance covers the whole, it is paid from it at once.',
      security: token('pay'),
      requestBody: jsonBody(
        object({
          blockchain: ref('StorageTarget'),
          ids: { type: 'array', items: OBJECT_ID, minItems: 1, maxItems: MAX_ITEMS },
        }),
        { blockchain: 'Nativecoin', ids: ['6b01a4cc8a40fc232d317ec6'] },
      ),
      responses: {
        '200': json('Paid from your balance, or nothing is left to pay.', MESSAGE),
        '402': json('Not a failure: what to pay, and where to.', ref('PaymentRequest'), {
          message: 'Nativecoin is waiting for a transfer of 0.00213 to ncrt1q….',
          amount: 0.00213,
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
      },
    },
  },
}
