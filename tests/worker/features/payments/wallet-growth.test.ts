import { describe, expect, it } from 'vitest'
import { hasLost, mayHaveMore } from '../../../../worker/features/payments/wallet-growth.ts'
import { rotatingPrefix } from '../../../../worker/platform/d1/read-in-turn.ts'

const NOW = 1_800_000_000_000

/** As a wallet of ten transactions was when it was last searched, three of them in no block that was followed. */
const SCAN = { height: 100, hash: 'block', walletKeys: 'ours', txCount: 10, waiting: 3, restoredUntil: 0 }
const LOOK = { keys: 'ours', txCount: 10, listed: 3 }

describe('a wallet', () => {
  it.each([
    ['that is as it was', {}, {}, false],
    ['whose waiting transactions were mined, and no more came', {}, { listed: 5 }, false],
    ['that was paid twice, which it lists', {}, { txCount: 12, listed: 5 }, false],
    ['that has one more than it lists, found by a rescan', {}, { txCount: 13, listed: 5 }, true],
    ['that has one less than it lists', {}, { txCount: 11, listed: 5 }, true],
    ['that lost one which it would have listed', {}, { txCount: 9, listed: 2 }, false],
    ['that lost one which nobody listed', {}, { txCount: 9 }, true],
    ['with other keys', {}, { keys: 'theirs' }, true],
    ['with keys that nobody had asked for', { walletKeys: undefined }, { keys: 'theirs' }, false],
    ['that does not say how many it has', {}, { txCount: undefined, listed: 9 }, false],
    ['that did not say how many it had', { txCount: undefined }, { txCount: 99 }, false],
    [
      'that grew after a reorganisation, which lists again what was known',
      { waiting: undefined },
      { txCount: 13 },
      true,
    ],
    ['that lost some after a reorganisation', { waiting: undefined }, { txCount: 9, listed: 9 }, true],
    ['that is as it was after a reorganisation', { waiting: undefined }, {}, false],
    ['that grew after it was restored', { restoredUntil: NOW + 1 }, { txCount: 11, listed: 4 }, true],
    ['that grew when that was long ago', { restoredUntil: NOW }, { txCount: 11, listed: 4 }, false],
    ['that grew by nothing after it was restored', { restoredUntil: NOW + 1 }, {}, false],
    ['that lost more after it was restored', { restoredUntil: NOW + 1 }, { txCount: 9, listed: 2 }, false],
  ])('%s: searched whole or not', (_, scan, look, expected) => {
    expect(mayHaveMore({ ...SCAN, ...scan }, { ...LOOK, ...look }, NOW)).toBe(expected)
  })

  it('has lost transactions when it has fewer than it had, as far as both is known', () => {
    expect([9, 10, 11, undefined].map((txCount) => hasLost(SCAN, txCount))).toEqual([true, false, false, false])
    expect([hasLost({ ...SCAN, txCount: undefined }, 0), hasLost(undefined, 0)]).toEqual([false, false])
  })
})

it('each second another of all prefixes has its turn', () => {
  const prefixes = [0, 5, 16, 255, 256, 512 + 171].map((second) => rotatingPrefix(second * 1_000 + 999))
  expect(prefixes).toEqual(['00', '05', '10', 'ff', '00', 'ab'])
})
