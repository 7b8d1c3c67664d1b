import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeFor, transactionVsize } from '../../../protocol/transaction-size.ts'
import { planWithdrawal } from '../../../worker/writer/plan-withdrawal.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const DUST = 546n
const coin = (index: number, value: bigint) => ({
  txid: index.toString(16).padStart(64, '0'),
  vout: 0,
  value,
  script: SCRIPT,
})
const terms = { script: SCRIPT, changeScript: SCRIPT, coin: undefined, feeRate: 2_000n, dust: DUST }

describe('the coins of a withdrawal', () => {
  it('are the smallest that is enough by itself, so that large ones stay whole', () => {
    const coins = [coin(1, 900_000n), coin(2, 50_000n), coin(3, 200_000n)]
    expect(planWithdrawal({ ...terms, amount: 100_000n, coins })?.spends).toEqual([coins[2]])
  })

  it('are the largest together where none is enough', () => {
    const coins = [coin(1, 10_000n), coin(2, 60_000n), coin(3, 70_000n)]
    expect(planWithdrawal({ ...terms, amount: 100_000n, coins })?.spends).toEqual([coins[2], coins[1]])
  })

  it('P9: begin with the one that it is tied to, whatever else there is', () => {
    const tied = coin(9, 30_000n)
    const coins = [coin(1, 900_000n), tied, coin(2, 90_000n)]
    const { spends } = planWithdrawal({ ...terms, amount: 100_000n, coin: tied, coins }) ?? {}
    expect(spends).toEqual([tied, coins[2]])
  })

  it('are none where they do not suffice for the amount, the fee and a change that is relayed', () => {
    expect(planWithdrawal({ ...terms, amount: 100_000n, coins: [coin(1, 100_200n)] })).toBeUndefined()
    expect(planWithdrawal({ ...terms, amount: 100_000n, coins: [] })).toBeUndefined()
  })

  it('leave twice the fee over what is relayed where there are coins for it, and otherwise as little as is relayed', () => {
    const amount = 100_000n
    // 141 vbytes with one input, 210 with two.
    const roomy = amount + 2n * 282n + DUST
    const spends = (value: bigint, more = 500n) =>
      planWithdrawal({ ...terms, amount, coins: [coin(1, value), coin(2, more)] })?.spends.length
    expect(spends(roomy)).toBe(1)
    expect(spends(roomy - 1n, 900n)).toBe(2)
    const tight = amount + 282n + DUST
    expect(planWithdrawal({ ...terms, amount, coins: [coin(1, tight)] })?.change).toBe(DUST)
    expect(planWithdrawal({ ...terms, amount, coins: [coin(1, tight - 1n)] })).toBeUndefined()
  })

  it('are a hundred at most', () => {
    const coins = (count: number) => Array.from({ length: count }, (_, index) => coin(index, 10_000n))
    const spends = (amount: bigint) => planWithdrawal({ ...terms, amount, coins: coins(120) })?.spends.length
    expect(spends(970_000n)).toBe(100)
    expect(spends(986_000n)).toBeUndefined()
  })

  it('may be another output of the very transaction that it is tied to', () => {
    const tied = coin(9, 30_000n)
    const sibling = { ...tied, vout: 1, value: 90_000n }
    const { spends } = planWithdrawal({ ...terms, amount: 100_000n, coin: tied, coins: [tied, sibling] }) ?? {}
    expect(spends).toEqual([tied, sibling])
  })

  it('add up: what is spent is the amount, the fee of its size and the change, whatever there is', () => {
    const value = fc.bigInt({ min: 1n, max: 10n ** 12n })
    const input = fc.record({ values: fc.array(value, { maxLength: 30 }), amount: value, tied: fc.option(value) })
    fc.assert(
      fc.property(input, ({ values, amount, tied }) => {
        const coins = values.map((each, index) => coin(index, each))
        const own = tied === null ? undefined : coin(99, tied)
        const plan = planWithdrawal({ ...terms, amount, coin: own, coins })
        if (!plan) return
        const { spends, change, fee, vsize } = plan
        const spent = spends.reduce((sum, each) => sum + each.value, 0n)
        expect(spent).toBe(amount + fee + change)
        expect(change).toBeGreaterThanOrEqual(DUST)
        expect(vsize).toBe(
          transactionVsize(
            spends.map(({ script }) => script),
            [22, 22],
          ),
        )
        expect(fee).toBe(feeFor(vsize, terms.feeRate))
        expect(new Set(spends.map(({ txid }) => txid)).size).toBe(spends.length)
        if (own) expect(spends[0]).toEqual(own)
      }),
    )
  })
})
