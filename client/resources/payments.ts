import { readerOf } from '../answers/read-answer.ts'
import { readPaymentRequest, readRequestOfAddress } from '../answers/read-answers.ts'
import { type List, listOf } from '../http/pages.ts'
import { Fields, isRecord } from '../http/parse-json.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type {
  Blockchain,
  LedgerEntry,
  Payment,
  PaymentRecord,
  PaymentRequest,
  StorageTarget,
  Withdrawal,
} from '../types.ts'
import type { CallOptions, KeyedOptions } from './call-options.ts'

const readWithdrawal = readerOf('Withdrawal')

/** Payment requests and deposit addresses. */
export function paymentsOf(transport: Transport) {
  return {
    /**
     * Requests the payment of items. With `maxFromBalance` (coins, as text; `null` for any price) the balance pays at
     * once if it covers the whole price and the price is within the limit. Without it the balance is not touched. The
     * same items again return the same open request. At most 200 ids.
     */
    async request(
      {
        blockchain,
        ids,
        maxFromBalance = '0',
      }: { blockchain: StorageTarget; ids: readonly string[]; maxFromBalance?: string | null | undefined },
      { signal, idempotencyKey }: KeyedOptions = {},
    ): Promise<Payment> {
      const path = '/v0/payment'
      // Without this field the service accepts any price.
      const json = { blockchain, ids, ...(maxFromBalance !== null && { maxFromBalance }) }
      const call = { method: 'POST', path, json, idempotencyKey, accept: [402], signal } as const
      const { status, body } = await transport.send(call)
      if (status === 402) return { paid: false, request: readPaymentRequest(body) }
      return { paid: true, message: isRecord(body) && typeof body.message === 'string' ? body.message : '' }
    },

    /** One request, by its address. */
    async get(address: string, { signal }: CallOptions = {}): Promise<PaymentRequest> {
      const { body } = await transport.send({ method: 'GET', path: '/v0/payment', query: { address }, signal })
      return readRequestOfAddress(body)
    },

    /** Requests and deposits, newest first. */
    list: ({ signal }: CallOptions = {}): List<PaymentRecord> =>
      listOf(transport, () => ({ path: '/v0/payment', signal }), 'payments', readerOf('Payment')),

    /** Cancels an unpaid request and removes its items. */
    async cancel(address: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: '/v0/payment', json: { address }, signal })
    },

    /** A new address for one use: what is sent to it is credited to the balance. */
    async address(blockchain: StorageTarget, { signal }: CallOptions = {}): Promise<string> {
      // Each call creates another address, so it is not retried.
      const path = pathTo`/v0/payment/${blockchain}`
      return (await transport.fields({ method: 'GET', path, repeatable: false, signal })).string('address')
    },

    /** The account's ledger, newest first. */
    ledger: ({ signal }: CallOptions = {}): List<LedgerEntry> =>
      listOf(transport, () => ({ path: '/v0/ledger', signal }), 'entries', readerOf('LedgerEntry')),
  }
}

export interface NewWithdrawal {
  blockchain: Blockchain
  address: string
  /** Decimal number of coins. */
  amount: string
  maxFee?: string | undefined
}

/** Withdrawals from the balance. */
export function withdrawalsOf(transport: Transport) {
  const path = '/v0/withdrawal'
  return {
    /** Without `idempotencyKey` each call has its own: a second call is a second withdrawal. */
    async create(
      order: NewWithdrawal,
      { signal, idempotencyKey = crypto.randomUUID() }: KeyedOptions = {},
    ): Promise<Withdrawal> {
      return readWithdrawal((await transport.send({ method: 'POST', path, json: order, idempotencyKey, signal })).body)
    },

    /** Withdrawals of the account, newest first; amounts in coins. */
    list: ({ signal }: CallOptions = {}): List<Withdrawal> =>
      listOf(transport, () => ({ path, signal }), 'withdrawals', readWithdrawal),

    /** The network fee of a withdrawal now, in coins. */
    async fee(blockchain: Blockchain, { signal }: CallOptions = {}): Promise<string> {
      const { body } = await transport.send({ method: 'GET', path: `${path}/fee`, query: { blockchain }, signal })
      return new Fields(body, 'The fee').amount('fee')
    },
  }
}
