import { describe, expect, it } from 'vitest'
import { parseRequired, satisfies, weakest } from '../../../reader/proof/required-state.ts'
import type { Proven } from '../../../reader/proof/verify-proof.ts'

const buried = (depth: number): Proven => ({ state: 'buried', depth, height: 9, time: 1 })
const worked = (depth: number): Proven => ({ state: 'worked', depth, time: 1 })
const unproven: Proven = { state: 'unproven', depth: 0, time: 1 }

describe('what must be proven', () => {
  it.each([
    ['buried', { state: 'buried' }],
    ['worked', { state: 'worked', depth: 6 }],
    ['worked 1', { state: 'worked', depth: 1 }],
    ['worked 12', { state: 'worked', depth: 12 }],
  ])('is read from %s', (text, required) => {
    expect(parseRequired(text)).toEqual(required)
  })

  it.each(['', 'worked 0', 'worked 13', 'worked  6', 'worked 06', 'Buried', 'buried 6', 'note'])(
    'is not read from "%s"',
    (text) => {
      expect(parseRequired(text)).toBeUndefined()
    },
  )

  it('is satisfied by enough work, or by a block of the pinned chain', () => {
    const enough = (proven: Proven) => satisfies(proven, { state: 'worked', depth: 3 })
    expect([buried(1), worked(3), worked(2), unproven].map(enough)).toEqual([true, true, false, false])
    const inChain = (proven: Proven) => satisfies(proven, { state: 'buried' })
    expect([buried(1), worked(12), unproven].map(inChain)).toEqual([true, false, false])
  })

  it('is as good as the weakest of what was proven', () => {
    expect(weakest([buried(5), worked(9), worked(2)])).toEqual(worked(2))
    expect(weakest([buried(5), buried(2)])).toEqual(buried(2))
    expect(weakest([worked(2), unproven, buried(1)])).toEqual(unproven)
  })
})
