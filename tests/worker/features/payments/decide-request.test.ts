import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confirmationsFor, mostConfirmations } from '../../../../worker/features/payments/confirmations-above.ts'
import { decideRequest, minimumDue, wasPaidInTime } from '../../../../worker/features/payments/decide-request.ts'
import type { Output } from '../../../../worker/features/payments/sql/outputs.ts'

const RULE = { tipHeight: 100, confirmations: 3, coinbaseMaturity: 50, graceMs: 1_000, tolerancePercent: 0 }
const REQUEST = { amount: 1000n, state: 'open' as const, expiresAt: 10_000 }
const IN_TIME = 5_000

function output(changes: Partial<Output> = {}): Output {
  return {
    txid: 'a'.repeat(64),
    vout: 0,
    address: 'address',
    amount: 1000n,
    coinbase: false,
    seenAt: IN_TIME,
    inMempool: false,
    blockHash: 'b'.repeat(64),
    blockHeight: 98,
    credited: false,
    writtenOff: 0,
    replaces: undefined,
    earlyAt: undefined,
    earlyAmount: undefined,
    ...changes,
  }
}

const waiting = { inMempool: true, blockHash: undefined, blockHeight: undefined }
const gone = { inMempool: false, blockHash: undefined, blockHeight: undefined }

const replacement = { seenAt: 10_200, replaces: 'c'.repeat(64), earlyAt: IN_TIME, earlyAmount: 1000n }

describe('deciding about a request', () => {
  it.each([
    ['stays open without money', [], IN_TIME, 'stay'],
    ['is seen with all of it in the mempool', [output(waiting)], IN_TIME, 'seen'],
    ['is seen with too few confirmations', [output({ blockHeight: 99 })], IN_TIME, 'seen'],
    ['settles at its depth', [output()], IN_TIME, 'settle'],
    ['settles on several outputs', [output({ amount: 400n }), output({ amount: 600n, vout: 1 })], IN_TIME, 'settle'],
    ['stays open with too little', [output({ amount: 999n })], IN_TIME, 'stay'],
    ['does not count what is gone', [output(gone)], IN_TIME, 'stay'],
    ['waits for a coinbase to mature', [output({ coinbase: true })], IN_TIME, 'seen'],
    ['settles on a mature coinbase', [output({ coinbase: true, blockHeight: 51 })], IN_TIME, 'settle'],
    ['stays open at the very moment of its expiry', [], 10_000, 'stay'],
    ['counts what was seen at that moment', [output({ seenAt: 10_000 })], 10_001, 'settle'],
    ['waits for a coinbase until its last block', [output({ coinbase: true, blockHeight: 52 })], IN_TIME, 'seen'],
    ['expires without money', [], 10_001, 'expire'],
    ['expires with too little', [output({ amount: 999n })], 10_001, 'expire'],
    ['does not expire while all of it is on its way', [output(waiting)], 10_001, 'seen'],
    ['settles late on money that came in time', [output()], 10_001, 'settle'],
    ['stays open for money in time that is gone', [output(gone)], 11_000, 'stay'],
    ['expires when it has not come back', [output(gone)], 11_001, 'expire'],
    ['expires without a grace for a part of it', [output({ ...gone, amount: 999n })], 10_001, 'expire'],
    ['does not count what is balance already', [output({ credited: true })], IN_TIME, 'stay'],
    [
      'is not settled by what is balance together with the rest',
      [output({ amount: 400n, credited: true }), output({ amount: 600n, vout: 1 })],
      10_001,
      'expire',
    ],
    ['settles on a late one that took the place of one in time', [output(replacement)], 10_200, 'settle'],
    ['is seen with it in the mempool', [output({ ...replacement, ...waiting })], 10_200, 'seen'],
    ['counts of it no more than what was replaced', [output({ ...replacement, earlyAmount: 999n })], 10_200, 'expire'],
    ['does not count it for what was late itself', [output({ ...replacement, earlyAt: 10_001 })], 10_200, 'expire'],
    ['does not count it past the grace', [output({ ...replacement, seenAt: 11_001 })], 11_002, 'expire'],
    ['expires although money came, when it came late', [output({ seenAt: 10_001 })], 10_002, 'expire'],
  ] as const)('%s', (_, outputs, now, decision) => {
    expect(decideRequest(REQUEST, outputs, RULE, now)).toBe(decision)
  })

  it('goes back to open when the money is gone', () => {
    expect(decideRequest({ ...REQUEST, state: 'seen' }, [output(gone)], RULE, IN_TIME)).toBe('open')
  })

  it('never settles on less than the amount in blocks of the needed depth', () => {
    const anyOutput = fc.record({
      amount: fc.bigInt(1n, 2000n),
      blockHeight: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      inMempool: fc.boolean(),
      seenAt: fc.integer({ min: 0, max: 20_000 }),
    })
    fc.assert(
      fc.property(fc.array(anyOutput, { maxLength: 5 }), fc.integer({ min: 0, max: 30_000 }), (some, now) => {
        const outputs = some.map((changes, vout) => output({ ...changes, vout }))
        const deep = outputs.filter(({ blockHeight, seenAt }) => (blockHeight ?? 101) <= 98 && seenAt <= 10_000)
        const sum = deep.reduce((total, { amount }) => total + amount, 0n)
        expect(decideRequest(REQUEST, outputs, RULE, now) === 'settle').toBe(sum >= 1000n)
      }),
    )
  })
})

describe('a request that has expired', () => {
  it.each([
    ['was paid by all of it, a whole second before', [output({ seenAt: 9_000 })], true],
    ['was paid by what waits for a block', [output({ ...waiting, seenAt: 9_000 })], true],
    ['was not paid by what came in its last second, which nodes do not tell', [output({ seenAt: 9_001 })], false],
    ['was not paid by too little', [output({ amount: 999n })], false],
    ['was not paid by what is gone', [output(gone)], false],
    ['was not paid by what became balance', [output({ credited: true })], false],
  ] as const)('%s', (_, outputs, paid) => {
    expect(wasPaidInTime(REQUEST, outputs, 0)).toBe(paid)
  })
})

describe('a request that may lack a tenth', () => {
  const lacking = { ...RULE, tolerancePercent: 10 }

  it('is paid by nine tenths, and by nothing less', () => {
    expect(decideRequest(REQUEST, [output({ amount: 900n })], lacking, IN_TIME)).toBe('settle')
    expect(decideRequest(REQUEST, [output({ amount: 899n })], lacking, IN_TIME)).toBe('stay')
    expect(decideRequest(REQUEST, [output({ ...waiting, amount: 900n })], lacking, IN_TIME)).toBe('seen')
    expect([minimumDue(999n, 10), minimumDue(1000n, 0), minimumDue(1n, 50)]).toEqual([900n, 1000n, 1n])
  })

  it('was paid so when it had expired', () => {
    expect(wasPaidInTime(REQUEST, [output({ amount: 900n })], 10)).toBe(true)
    expect(wasPaidInTime(REQUEST, [output({ amount: 899n })], 10)).toBe(false)
  })
})

describe('confirmations by amount', () => {
  const depths = {
    confirmations: 3,
    confirmationsAbove: [
      { from: 100n, confirmations: 6 },
      { from: 1000n, confirmations: 30 },
    ],
  }

  it('are those of the chain below the first step, and of the highest that is reached', () => {
    expect([99n, 100n, 999n, 1000n, 10n ** 20n].map((amount) => confirmationsFor(amount, depths))).toEqual([
      3, 6, 6, 30, 30,
    ])
    expect(mostConfirmations(depths)).toBe(30)
    expect(confirmationsFor(1000n, { ...depths, confirmations: 40 })).toBe(40)
  })

  it('hold for the transactions that need them alone', () => {
    const [large, small] = [output(), output({ txid: 'b'.repeat(64) })]
    const rule = { ...RULE, deeper: new Map([[large.txid, 50]]) }
    expect(decideRequest(REQUEST, [large], rule, IN_TIME)).toBe('seen')
    expect(decideRequest(REQUEST, [small], rule, IN_TIME)).toBe('settle')
  })
})
