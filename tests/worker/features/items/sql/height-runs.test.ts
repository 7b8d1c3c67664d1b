import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packHeights, unpackHeights } from '../../../../../worker/features/items/sql/height-runs.ts'

describe('heights of blocks', () => {
  it('are kept as the first, and how far the others are from it', () => {
    expect(packHeights([900_000, 900_000, 900_001, 899_999, 900_000])).toBe('900000,2,1,1,-1,1,0,1')
    expect(packHeights([])).toBe('')
  })

  it('are read as they were kept, all of them and any part', () => {
    const heights = fc.array(fc.integer({ min: 0, max: 5 }).map((above) => 5_000_000 + above))
    fc.assert(
      fc.property(heights, fc.nat(40), fc.nat(40), (given, from, length) => {
        const packed = packHeights(given)
        expect(unpackHeights(packed)).toEqual(given)
        expect(unpackHeights(packed, from, from + length)).toEqual(given.slice(from, from + length))
      }),
    )
  })
})
