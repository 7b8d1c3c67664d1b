import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import { checkWithdrawal } from '../../../../worker/features/payouts/ask/check-withdrawal.ts'
import { spendableOf } from '../../../../worker/features/payouts/ask/quote-withdrawal.ts'
import { withdrawalFee } from '../../../../worker/features/payouts/ask/withdrawal-fee.ts'
import { withdrawalJson } from '../../../../worker/features/payouts/ask/withdrawal-json.ts'
import { planWithdrawal } from '../../../../worker/features/payouts/pay/plan-withdrawal.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const DUST = 546n
const coin = (index: number, value: bigint) => ({
  txid: index.toString(16).padStart(64, '0'),
  vout: 0,
  value,
  script: SCRIPT,
})
const terms = { script: SCRIPT, changeScript: SCRIPT, coin: undefined, feeRate: 2_000n, dust: DUST, maxInputs: 4 }

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

  it('are four at most, or as many as are set, that which it is tied to included', () => {
    const coins = Array.from({ length: 120 }, (_, index) => coin(index, 10_000n))
    const spends = (amount: bigint, more = {}) => planWithdrawal({ ...terms, amount, coins, ...more })?.spends.length
    expect([spends(37_000n), spends(39_500n)]).toEqual([4, undefined])
    expect([spends(970_000n, { maxInputs: 100 }), spends(986_000n, { maxInputs: 100 })]).toEqual([100, undefined])
    const tied = { coin: coin(999, 10_000n) }
    expect([spends(37_000n, tied), spends(39_500n, tied)]).toEqual([4, undefined])
    expect([spends(8_000n, { maxInputs: 1, ...tied }), spends(12_000n, { maxInputs: 1, ...tied })]).toEqual([
      1,
      undefined,
    ])
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

describe('what is asked for', () => {
  it('costs the fee of a transaction with as many inputs as it may have and the longest script of an address', () => {
    // 221 and 384 vbytes.
    expect([withdrawalFee('Bitcoin', 1_000n, 2), withdrawalFee('Dogecoin', 1_000n, 2)]).toEqual([221n, 384n])
    expect([withdrawalFee('Bitcoin', 1_000n, 4), withdrawalFee('Dogecoin', 1_000n, 4)]).toEqual([357n, 680n])
  })

  it('is of what the balance has beside money that is off the chain', () => {
    expect([spendableOf(5n, 3n), spendableOf(5n, 5n), spendableOf(5n, 6n)]).toEqual([2n, 0n, 0n])
  })

  it('goes to an address of at most 90 characters', () => {
    const parse = (length: number) =>
      checkWithdrawal({ blockchain: 'Bitcoin', address: 'a'.repeat(length), amount: 100_000_000n }).address
    expect(parse(90)).toHaveLength(90)
    expect(() => parse(91)).toThrow('must be an address of Bitcoin')
  })

  it('is as deep as the blocks that are followed say, and not at all where its own is above them', () => {
    const mined = {
      ...{ id: 'w', userId: 'ada', blockchain: 'Bitcoin' as const, address: 'a', script: SCRIPT },
      ...{ amount: 1n, fee: 1n, feeRate: 1n, state: 'sent' as const, reason: undefined, since: undefined },
      ...{ createdAt: 0, txid: 't', blockHeight: 100 },
    }
    const depth = (tipHeight: number | undefined) => JSON.parse(withdrawalJson(mined, tipHeight)).depth
    expect([102, 100, 99, 98, undefined].map(depth)).toEqual([3, 1, 0, 0, 0])
  })
})
