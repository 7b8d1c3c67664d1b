import { expect, it } from 'vitest'
import { inheritSeenTime } from '../../../../worker/features/payments/inherit-seen-time.ts'
import type { Output } from '../../../../worker/features/payments/sql/outputs.ts'

const paid = (address: string, amount: bigint, seenAt = 20) => ({ address, amount, seenAt })
const known = (txid: string, address: string, amount: bigint, more: Partial<Output> = {}): Output => ({
  ...{ txid, vout: 0, address, amount, coinbase: false, seenAt: 10, inMempool: false, blockHash: undefined },
  ...{ blockHeight: undefined, credited: false, writtenOff: 0 },
  ...{ replaces: undefined, earlyAt: undefined, earlyAmount: undefined },
  ...more,
})
const early = (outputs: ReturnType<typeof paid>[], replaced: Output[]) =>
  inheritSeenTime(outputs, replaced).map(({ replaces, earlyAt, earlyAmount }) => [replaces, earlyAt, earlyAmount])

it('gives a replacement the time of what it replaced, at the same address alone and for no more than that paid', () => {
  const outputs = [paid('a', 700n), paid('b', 500n), paid('c', 1n)]
  expect(early(outputs, [known('x', 'a', 600n), known('x', 'b', 800n)])).toEqual([
    ['x', 10, 600n],
    ['x', 10, 500n],
    [undefined, undefined, undefined],
  ])
})

it('counts what was replaced once, over several outputs to one address', () => {
  const replaced = [known('x', 'a', 300n), known('x', 'a', 300n, { vout: 1 })]
  expect(early([paid('a', 400n), paid('a', 400n), paid('a', 400n)], replaced)).toEqual([
    ['x', 10, 400n],
    ['x', 10, 200n],
    [undefined, undefined, undefined],
  ])
})

it('hands the time on from one replacement to the next, with no more than the first paid', () => {
  const second = known('y', 'a', 900n, { seenAt: 15, replaces: 'x', earlyAt: 10, earlyAmount: 600n })
  expect(early([paid('a', 900n)], [second])).toEqual([['y', 10, 600n]])
})

it('gives nothing of what was seen later, which replaced it', () => {
  expect(early([paid('a', 900n, 5)], [known('x', 'a', 900n)])).toEqual([[undefined, undefined, undefined]])
})

it('takes the time of the earliest of several that it replaced, for no more than that one paid', () => {
  const replaced = [known('y', 'a', 300n, { seenAt: 12 }), known('x', 'a', 300n), known('z', 'a', 300n, { seenAt: 11 })]
  expect(early([paid('a', 900n)], replaced)).toEqual([['x', 10, 300n]])
})
