import { describe, expect, it } from 'vitest'
import { maxFeeOf } from '../../../../worker/features/transactions/sign/tx-chain-fees.ts'
import type { OwnTransaction } from '../../../../worker/features/transactions/sql/transactions.ts'
import {
  type BumpTerms,
  cannotAffordBump,
  planBump,
  planRelease,
} from '../../../../worker/features/writer/raise/bump-tx-chains.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
/** Virtual bytes of a transaction that only pays for its tx chain. */
const BUMP = 110
const TERMS: BumpTerms = {
  feeRate: 5_000n,
  most: undefined,
  dearest: 0n,
  relayFeeRate: 1_000n,
  dust: 546n,
  limits: { count: 24, vbytes: 450_000 },
}

/** A transaction of a tx chain of 202 vbytes that pays 1 base unit for each; `seq` names it. */
function own(seq: number, changes: Partial<OwnTransaction> = {}): OwnTransaction {
  return {
    txid: seq.toString(16).padStart(64, '0'),
    txChain: 3,
    seq,
    itemId: 'item',
    itemIndex: seq,
    withdrawalId: undefined,
    bundle: 'bundle',
    offset: 0,
    length: 300,
    vsize: 202,
    fee: 202n,
    changeVout: 1,
    changeValue: 100_000n,
    state: 'sent',
    attempts: 1,
    sentHeight: 1,
    checkedHeight: 1,
    blockHeight: undefined,
    spentHeight: undefined,
    ...changes,
  }
}

const bumpOf = (seq: number, changes: Partial<OwnTransaction> = {}) =>
  own(seq, { itemId: undefined, itemIndex: undefined, changeVout: 0, vsize: BUMP, ...changes })

describe('the transaction that pays for a tx chain', () => {
  it('brings all of it to the fee rate of now, and spends the change at its end, whatever their order', () => {
    const { transaction, replaces } = planBump([own(1), own(0)], SCRIPT, TERMS) ?? {}
    // 514 vbytes at 5 base units each, of which 404 are paid.
    const fee = 2_570n - 404n
    expect(transaction).toEqual({
      ...{ txChain: 3, seq: 2, payload: undefined, splits: [], script: SCRIPT, vsize: BUMP },
      spends: [{ txid: own(1).txid, vout: 1, value: 100_000n, script: SCRIPT }],
      ...{ fee, change: 100_000n - fee },
    })
    expect(replaces).toEqual([])
  })

  it('pays half as much again as is paid where fees are no higher than that', () => {
    const { transaction } = planBump([own(0)], SCRIPT, { ...TERMS, feeRate: 1_500n }) ?? {}
    expect(transaction?.fee).toBe(468n - 202n)
    expect(planBump([own(0)], SCRIPT, { ...TERMS, feeRate: 1_501n })?.transaction.fee).toBe(469n - 202n)
  })

  it('takes the place of the one before it, which it pays for once more: BIP 125, rule 4', () => {
    const before = bumpOf(1, { fee: 266n })
    const terms = { ...TERMS, feeRate: 1_000n }
    const { transaction, replaces } = planBump([own(0), before], SCRIPT, terms) ?? {}
    expect(replaces).toEqual([before])
    expect(transaction).toMatchObject({ seq: 1, spends: [{ txid: own(0).txid }] })
    // 468 of 312 vbytes, and half as much again.
    expect(transaction?.fee).toBe(702n - 202n)
    const least = { ...terms, most: 202n + 266n + 110n }
    expect(planBump([own(0), before], SCRIPT, least)?.transaction.fee).toBe(266n + 110n)
    expect(planBump([own(0), before], SCRIPT, { ...least, most: 202n + 266n + 109n })).toBeUndefined()
  })

  it('goes up to the most that its tx chain may pay, and is none where that is not more than the relay asks', () => {
    const fee = (most: bigint) => planBump([own(0)], SCRIPT, { ...TERMS, most })?.transaction.fee
    expect(fee(1_248n)).toBe(1_248n - 202n)
    expect(fee(1_560n)).toBe(1_560n - 202n)
    expect(fee(1_561n)).toBe(1_560n - 202n)
    expect(fee(202n + 110n)).toBe(110n)
    expect(fee(202n + 109n)).toBeUndefined()
  })

  it('leaves a change that is relayed, or is none', () => {
    const changeValue = 1_560n - 202n + TERMS.dust
    expect(planBump([own(0, { changeValue })], SCRIPT, TERMS)?.transaction.change).toBe(TERMS.dust)
    expect(planBump([own(0, { changeValue: changeValue - 1n })], SCRIPT, TERMS)).toBeUndefined()
  })

  describe('where the change at the end is not enough', () => {
    const poor = own(0, { changeValue: 1_000n })
    const coin = (value: bigint) => ({ txid: `c${value}`, vout: 4, value, script: SCRIPT })
    /** Virtual bytes of a bump with another input. */
    const TWO_INPUTS = BUMP + 68

    it('spends the first coin that is enough as well, and pays for its bytes', () => {
      expect(cannotAffordBump([poor], SCRIPT, TERMS)).toBe(true)
      expect(planBump([poor], SCRIPT, TERMS)).toBeUndefined()
      // 380 vbytes at 5 base units each, of which 202 are paid.
      const fee = 5n * BigInt(202 + TWO_INPUTS) - 202n
      const least = fee - 1_000n + TERMS.dust
      const coins = [coin(least - 1n), coin(least), coin(90_000n)]
      expect(planBump([poor], SCRIPT, TERMS, coins)?.transaction).toEqual({
        ...{ txChain: 3, seq: 1, payload: undefined, splits: [], script: SCRIPT, vsize: TWO_INPUTS },
        spends: [{ txid: poor.txid, vout: 1, value: 1_000n, script: SCRIPT }, coin(least)],
        ...{ fee, change: TERMS.dust },
      })
    })

    it('pays for them what the dearest of the tx chain may, beyond the most that it may pay by itself', () => {
      const terms = { ...TERMS, most: 1_400n, dearest: 4_000n }
      const { transaction } = planBump([poor], SCRIPT, terms, [coin(90_000n)]) ?? {}
      expect(transaction?.fee).toBe(1_400n + 4n * 68n - 202n)
    })

    it('spends no other coin where the change is enough, or where it may pay no more', () => {
      const coins = [coin(90_000n)]
      expect(cannotAffordBump([own(0)], SCRIPT, TERMS)).toBe(false)
      expect(planBump([own(0)], SCRIPT, TERMS, coins)?.transaction.spends).toHaveLength(1)
      const paid = { ...TERMS, most: 202n + 109n }
      expect(cannotAffordBump([poor], SCRIPT, paid)).toBe(false)
      expect(planBump([poor], SCRIPT, paid, coins)).toBeUndefined()
    })
  })

  it('is the one more that a full tx chain has room for, and none in one that is fuller', () => {
    const txChain = (length: number) => Array.from({ length }, (_, seq) => own(seq))
    const terms = { ...TERMS, limits: { count: 4, vbytes: 450_000 } }
    expect(planBump(txChain(4), SCRIPT, terms)?.transaction.seq).toBe(4)
    expect(planBump(txChain(5), SCRIPT, terms)).toBeUndefined()
    expect(planBump([...txChain(4), bumpOf(4)], SCRIPT, terms)?.transaction.seq).toBe(4)
  })

  it('is none where something was not sent yet, where nothing waits, and where only a bump does', () => {
    expect(planBump([own(0), own(1, { state: 'signed' })], SCRIPT, TERMS)).toBeUndefined()
    expect(planBump([], SCRIPT, TERMS)).toBeUndefined()
    expect(planBump([bumpOf(1)], SCRIPT, TERMS)).toBeUndefined()
  })
})

describe('what gives up one coin made of several', () => {
  const gathered = (changes: Partial<OwnTransaction> = {}) =>
    own(0, { itemId: undefined, itemIndex: undefined, vsize: 6_800, fee: 6_800n, ...changes })
  const coin = (value: bigint) => ({ txid: 'cc', vout: 1, value, script: SCRIPT })
  const terms = { ...TERMS, feeRate: 50_000n }

  it('spends one of the coins, and pays what that paid, its bump included, and its own relay', () => {
    expect(planRelease([gathered(), bumpOf(1, { fee: 500n })], coin(20_000n), SCRIPT, terms)).toEqual({
      ...{ txChain: 3, seq: 0, spends: [coin(20_000n)], payload: undefined, splits: [], script: SCRIPT },
      ...{ fee: 7_410n, change: 20_000n - 7_410n, vsize: BUMP },
    })
    // Or what is asked now, where that is more.
    expect(planRelease([gathered({ fee: 100n })], coin(20_000n), SCRIPT, terms)?.fee).toBe(5_500n)
  })

  it('is none where the coin is not worth it, where something stands on it, nor of a single coin', () => {
    expect(planRelease([gathered()], coin(6_910n + TERMS.dust), SCRIPT, terms)?.change).toBe(TERMS.dust)
    expect(planRelease([gathered()], coin(6_909n + TERMS.dust), SCRIPT, terms)).toBeUndefined()
    expect(planRelease([gathered(), own(1)], coin(20_000n), SCRIPT, terms)).toBeUndefined()
    const gatheredOf = (vsize: number) => planRelease([gathered({ vsize })], coin(20_000n), SCRIPT, terms)
    expect([gatheredOf(2 * BUMP - 1), gatheredOf(2 * BUMP)?.vsize]).toEqual([undefined, BUMP])
    expect(planRelease([gathered({ state: 'signed' })], coin(20_000n), SCRIPT, terms)).toBeUndefined()
    expect(planRelease([own(0, { vsize: 6_800 })], coin(20_000n), SCRIPT, terms)).toBeUndefined()
  })
})

describe('the most that a tx chain may pay', () => {
  const quotes = [
    { id: 'a', feeRate: 1_000n },
    { id: 'b', feeRate: 3_000n },
    { id: 'w', feeRate: 2_001n },
  ]
  const most = (...ids: string[]) =>
    maxFeeOf(
      ids.map((id) => ({
        itemId: ['w', 'bump', 'gathered'].includes(id) ? undefined : id,
        withdrawalId: id === 'w' ? id : undefined,
        ...{ vsize: 200, seq: id === 'gathered' ? 0 : 1, fee: 500n },
      })),
      quotes,
      150,
      SCRIPT,
    )

  it('is what each of its transactions may at the quote of its own, for a cheap item pays none for a dear one', () => {
    expect(most('a')).toBe(300n + 165n)
    expect(most('a', 'b', 'a')).toBe(300n + 900n + 300n + 495n)
    expect(most('w')).toBe(601n + 331n)
  })

  it('allows one bump, and has no limit where none has a quote', () => {
    expect(most('b', 'bump')).toBe(900n + 495n)
    // 2,500 base units for 1,000 vbytes, half as many again, with the bump of 110.
    expect(most('gathered')).toBe(750n + 413n)
    expect(most('bump')).toBeUndefined()
    expect(most()).toBeUndefined()
  })
})
