import { describe, expect, it } from 'vitest'
import { creditedOf, depositView, requestView } from '../../../../worker/features/payments/payment-view.ts'
import type { Output } from '../../../../worker/features/payments/sql/outputs.ts'
import type { PaymentRequest } from '../../../../worker/features/payments/sql/payment-requests.ts'
import { spendableOf } from '../../../../worker/features/payouts/ask/quote-withdrawal.ts'

function output(changes: Partial<Output>): Output {
  return {
    ...{ txid: 'a'.repeat(64), vout: 0, address: 'address', amount: 1_000n, coinbase: false, seenAt: 5_000 },
    ...{ inMempool: false, blockHash: 'b'.repeat(64), blockHeight: 98, credited: true, writtenOff: 0 },
    ...{ replaces: undefined, earlyAt: undefined, earlyAmount: undefined },
    ...changes,
  }
}

const seen = (...outputs: Output[]) => ({
  outputs,
  tipHeight: 100,
  chain: { confirmations: 2, confirmationsAbove: [], minDeposit: 7n },
})

describe('what is seen at an address', () => {
  it('became balance as far as it is more than what was asked, from one base unit on', () => {
    const credited = (state: 'settled' | 'expired', ...amounts: bigint[]) =>
      creditedOf({ state, amount: 1_000n }, seen(...amounts.map((amount, vout) => output({ amount, vout }))))
    expect(credited('settled', 1_000n)).toBe(0n)
    expect(credited('settled', 600n, 401n)).toBe(1n)
    expect(credited('settled', 999n)).toBe(0n)
    expect(credited('expired', 999n)).toBe(999n)
    expect(creditedOf({ state: 'expired', amount: 1_000n }, seen(output({ credited: false })))).toBe(0n)
  })

  it('leaves the rest to be paid while its request waits, and nothing once that has ended', () => {
    const gone = output({ vout: 1, blockHash: undefined, blockHeight: undefined, credited: false })
    const uriOf = (state: PaymentRequest['state']) => {
      const request = {
        ...{ id: 'id', userId: 'ada', target: 'Bitcoin' as const, blockchain: 'Bitcoin' as const, address: 'address' },
        ...{
          itemIds: ['item'],
          amount: 3_000n,
          feeRate: 1n,
          parts: { networkFee: 0n, storageFee: 3_000n },
          createdAt: 0,
          expiresAt: 0,
          state,
        },
      }
      const summary = { names: ['a'], storedSize: 1, transactions: 1, settledAt: undefined, paid: undefined }
      return JSON.parse(requestView(request, { ...seen(output({}), gone), summary })).uri
    }
    const rest = 'bitcoin:address?amount=0.00002'
    expect([uriOf('open'), uriOf('seen')]).toEqual([rest, rest])
    for (const ended of ['settled', 'expired', 'cancelled'] as const) expect(uriOf(ended)).toBe('bitcoin:address')
  })

  it('counts as received only where it is in a block or in the mempool', () => {
    const gone = { blockHash: undefined, blockHeight: undefined, credited: false }
    const view = depositView(
      { address: 'address', blockchain: 'Bitcoin', createdAt: 0 },
      seen(
        output({}),
        output({ ...gone, vout: 1, amount: 7n }),
        output({ ...gone, vout: 2, amount: 20n, inMempool: true }),
      ),
    )
    expect(JSON.parse(view)).toMatchObject({ received: 0.0000102, credited: 0.00001, state: 'credited' })
  })

  it('shows a transaction that another had replaced where it was mined after all', () => {
    const other = output({
      txid: 'c'.repeat(64),
      replaces: 'a'.repeat(64),
      blockHash: undefined,
      blockHeight: undefined,
    })
    const view = depositView({ address: 'address', blockchain: 'Bitcoin', createdAt: 0 }, seen(output({}), other))
    expect(JSON.parse(view).transactions).toMatchObject([
      { txid: 'a'.repeat(64), replaced: false },
      { txid: 'c'.repeat(64), replaced: true },
    ])
  })

  it('is told by transaction, the oldest first, with its depth, also where the tip is behind its block', () => {
    const txid = 'c'.repeat(64)
    const outputs = [
      output({ txid, seenAt: 9_000, amount: 1n, blockHeight: 101 }),
      output({ vout: 1 }),
      output({ txid, seenAt: 9_000, amount: 2n, vout: 1, blockHeight: 101 }),
      output({ txid: 'd'.repeat(64), seenAt: 7_000, blockHash: undefined, blockHeight: undefined }),
    ]
    const { transactions, uri, items } = JSON.parse(
      depositView({ address: 'address', blockchain: 'Bitcoin', createdAt: 0 }, seen(...outputs)),
    )
    expect([uri, items]).toEqual(['bitcoin:address', 0])
    const facts = { late: false, replaced: false }
    expect(transactions).toEqual([
      { txid: 'a'.repeat(64), depth: 3, seenAt: 5, ...facts, amount: 0.00001 },
      { txid: 'd'.repeat(64), depth: 0, seenAt: 7, ...facts, replaced: true, amount: 0.00001 },
      { txid, depth: 0, seenAt: 9, ...facts, amount: 0.00000003 },
    ])
  })
})

it('what is off the chain can not be spent, nor less than nothing', () => {
  expect([spendableOf(5n, 0n), spendableOf(5n, 4n), spendableOf(5n, 5n), spendableOf(5n, 6n)]).toEqual([5n, 1n, 0n, 0n])
})
