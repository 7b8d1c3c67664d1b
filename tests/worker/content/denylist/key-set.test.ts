import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KeySet } from '../../../../worker/content/denylist/key-set.ts'

// Few values, so that entries come back and go again; as many changes as are sorted in more than once.
const steps = fc.array(fc.tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 3000n })), { maxLength: 6000, size: 'max' })

it('a set of keys holds exactly what a Set of the same numbers holds', () => {
  fc.assert(
    fc.property(steps, fc.bigInt({ min: 0n, max: 2n ** 64n - 3001n }), (changes, first) => {
      const set = new KeySet()
      const model = new Set<bigint>()
      for (const [add, value] of changes) {
        set.set(first + value, add)
        if (add) model.add(first + value)
        else model.delete(first + value)
      }
      expect(new Set(set)).toEqual(model)
      for (const [, value] of changes) expect(set.has(first + value)).toBe(model.has(first + value))
    }),
    { numRuns: 20 },
  )
})
