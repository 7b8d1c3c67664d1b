import { FROM_CURSOR, idOf, MESSAGE } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { ADDRESSES_A_MINUTE, PAGE_ROWS, TABLE_ROWS } from '../limits.ts'
import { type Answer, json, operations, page } from '../operation.ts'
import {
  DepositAddress,
  FeeConsent,
  FeeQuery,
  LedgerEntry,
  NewPayment,
  NewWithdrawal,
  PaymentAddress,
  PaymentOrPage,
  PaymentQuery,
  PaymentRequest,
  RefusedWithdrawal,
  TargetPath,
  Withdrawal,
  WithdrawalFee,
} from '../payment.ts'
import { text } from '../schema.ts'

const UNAVAILABLE = 'Payment with that blockchain is unavailable at the moment.'

/** An answer that is available as a table of comma-separated values too. */
const table = (answer: Answer): Answer => ({
  ...answer,
  types: ['application/json', 'text/csv'],
  headers: { Link: text('Of a table: the rest of it, `rel="next"`.') },
})

/** Requests, deposits, withdrawals, and what they moved. */
export const PAYMENT_OPERATIONS = operations('Paying', {
  'GET /v0/ledger': {
    id: 'listLedger',
    summary: 'List every move of your money',
    description: `The latest first, ${PAGE_ROWS} a page, with the balance after each. With \`Accept: text/csv\`: a table of up to ${TABLE_ROWS}, the rest by \`Link\`. Text that a spreadsheet would run as a formula has an apostrophe before it.`,
    token: 'pay',
    keys: ['read', 'pay'],
    query: FROM_CURSOR,
    answers: { 200: table(page('A page.', 'entries', LedgerEntry)) },
  },
  'GET /v0/withdrawal': {
    id: 'listWithdrawals',
    summary: 'List your withdrawals',
    description: `Newest first, ${PAGE_ROWS} a page.`,
    token: 'pay',
    query: FROM_CURSOR,
    answers: { 200: page('A page.', 'withdrawals', Withdrawal) },
  },
  'POST /v0/withdrawal': {
    id: 'withdraw',
    summary: 'Withdraw from your balance',
    description: `The amount and the fee of the network leave the balance at once; it is sent within seconds, later where fees rise far above that fee or the wallet waits for coins. Needs a login of the last ${inWords(LIFETIMES.recentLogin)}. An address is good if the node of the chain says so.`,
    token: 'pay',
    idempotent: 'required',
    body: NewWithdrawal,
    example: { blockchain: 'Bitcoin', address: 'bc1q…', amount: '0.02', maxFee: '0.0001' },
    answers: {
      201: json('It is on its way.', Withdrawal),
      409: json('The balance does not cover amount and fee, or the fee is above `maxFee`.', RefusedWithdrawal),
      503: UNAVAILABLE,
    },
  },
  'DELETE /v0/withdrawal/{id}': {
    id: 'cancelWithdrawal',
    summary: 'Cancel a withdrawal',
    description: 'While nothing was ever signed for it. The amount and the fee are back in the balance at once.',
    token: 'pay',
    path: { id: idOf('withdrawal', text()) },
    answers: {
      200: json('It is cancelled.', Withdrawal),
      409: 'Something was signed for it, and may be mined (`withdrawal_signed`), or it is over (`withdrawal_ended`).',
      503: 'Recent payouts must be checked first (`payouts_stopped`).',
    },
    refuses: [404],
  },
  'POST /v0/withdrawal/{id}/fee': {
    id: 'consentToFee',
    summary: 'Let a withdrawal cost more',
    description: `The increase of the network fee is debited, so that a withdrawal need not wait for lower fees. Nothing is debited if the fee has not risen, or once its transaction is in a block. Needs a login of the last ${inWords(LIFETIMES.recentLogin)}.`,
    token: 'pay',
    path: { id: idOf('withdrawal', text()) },
    idempotent: true,
    body: FeeConsent,
    example: { maxFee: '0.0002' },
    answers: {
      200: json('As it is now.', Withdrawal),
      409: json(
        'The fee is above `maxFee`, the balance does not cover it, or the withdrawal is over, or waits to be signed by the operator.',
        RefusedWithdrawal,
      ),
      503: UNAVAILABLE,
    },
    refuses: [404],
  },
  'GET /v0/withdrawal/fee': {
    id: 'quoteWithdrawal',
    summary: 'What a withdrawal costs now',
    token: 'pay',
    query: FeeQuery.entries,
    answers: { 200: json('The fee, and the most that can be withdrawn.', WithdrawalFee), 503: UNAVAILABLE },
  },
  'GET /v0/payment/{blockchain}': {
    id: 'createAddress',
    summary: 'Get a deposit address',
    description: `Each call returns a new address, for one use; money that arrives there, or at any earlier one, becomes your balance. At most ${ADDRESSES_A_MINUTE} a minute. For \`IPFS\` it is of the chain that IPFS is paid in.`,
    token: 'pay',
    keys: ['pay'],
    path: TargetPath.entries,
    answers: {
      200: json('The address.', DepositAddress),
      409: 'Too many addresses of yours wait for their first payment.',
      503: UNAVAILABLE,
    },
    refuses: [400],
  },
  'GET /v0/payment': {
    id: 'listPayments',
    summary: 'List your payment requests and deposits, or look at one',
    description: `Newest first, ${PAGE_ROWS} a page, each with the transactions that were seen at its address; addresses without a payment are left out, and payments from the balance are in the ledger. With \`address\`: that one alone. With \`Accept: text/csv\`: a table of up to 1,000, the rest by \`Link\`.`,
    token: 'pay',
    keys: ['read', 'pay'],
    query: PaymentQuery.entries,
    answers: { 200: table(json('A page, or the one.', PaymentOrPage)) },
    refuses: [404],
  },
  'POST /v0/payment': {
    id: 'requestPayment',
    summary: 'Ask what items cost, and pay',
    description:
      'Another request for the same items returns the same open payment request. If your balance covers all of it, it is paid from it at once; with `maxFromBalance` only if it costs no more than that.',
    token: 'pay',
    keys: ['pay'],
    idempotent: true,
    body: NewPayment,
    example: { blockchain: 'Nativecoin', ids: ['6b01a4cc8a40fc232d317ec6'] },
    answers: {
      200: json('Paid from your balance, or nothing is left to pay.', MESSAGE),
      402: json('Not a failure: what to pay, and where to.', PaymentRequest, {
        message: 'Nativecoin is waiting for a transfer of 0.00213 to ncrt1q….',
        amount: 0.00213,
        networkFee: 0.00203,
        storageFee: 0.0001,
        address: 'ncrt1q…',
        uri: 'nativecoin:ncrt1q…?amount=0.00213',
        expiresAt: 1795269600,
        confirmations: 3,
        received: 0,
      }),
      409: 'An item is not in `402 Payment Required`, or waits in another request.',
      503: UNAVAILABLE,
    },
    refuses: [404, 451],
  },
  'DELETE /v0/payment': {
    id: 'cancelPayment',
    summary: 'Cancel a payment request',
    description:
      'Removes its items with their folders and chunks. Money that arrives at the address later becomes balance.',
    token: 'pay',
    keys: ['pay'],
    body: PaymentAddress,
    answers: {
      200: json('It is cancelled.', MESSAGE),
      409: 'Money has been seen at the address.',
      503: 'The node cannot be queried for payments. Nothing was removed.',
    },
    refuses: [404],
  },
})
