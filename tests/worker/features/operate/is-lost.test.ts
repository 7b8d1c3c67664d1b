import { describe, expect, it } from 'vitest'
import { isLost } from '../../../../worker/features/operate/write-off-deposit.ts'

const DAY = 86_400_000
const terms = { confirmations: 3, now: 20 * DAY }

describe('a credited deposit that is in no block', () => {
  it('is lost once another is as deep in its place, and never while the wallet has it', () => {
    const lost = [-3, -4, -2, 0, 3].map((confirmations) => isLost({ goneAt: 0 }, { confirmations }, terms))
    expect(lost).toEqual([true, true, false, false, false])
  })

  it('is lost where the wallet does not know it only when no mempool has it any more', () => {
    const lost = [6 * DAY - 1, 6 * DAY, undefined].map((goneAt) => isLost({ goneAt }, undefined, terms))
    expect(lost).toEqual([true, false, false])
  })
})
