import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DigestSet } from '../../../worker/denylist/digest-set.ts'

// Few values that differ late, early or not at all, so that slots collide and entries come back.
const digest = fc
  .tuple(fc.nat(20), fc.constantFrom('0', 'f'), fc.nat(3))
  .map(
    ([head, fill, tail]) =>
      `${head.toString(16).padStart(8, '0')}${fill.repeat(48)}${tail.toString().padStart(8, '0')}`,
  )

describe('a set of digests', () => {
  it('holds exactly what a Set of the same strings holds', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), digest), { maxLength: 400 }), (steps) => {
        const set = new DigestSet()
        const model = new Set<string>()
        for (const [add, value] of steps) {
          if (add) set.add(value)
          else set.delete(value)
          if (add) model.add(value)
          else model.delete(value)
          expect(set.has(value)).toBe(add)
        }
        expect(set.size).toBe(model.size)
        for (const [, value] of steps) expect(set.has(value)).toBe(model.has(value))
      }),
    )
  })

  it('finds each of 20,000 entries, and none of their neighbours', () => {
    const set = new DigestSet()
    const value = (n: number) => (n * 2).toString(16).padStart(24, '0').padEnd(64, '0')
    for (let n = 0; n < 20_000; n++) set.add(value(n))
    expect(set.size).toBe(20_000)
    const wrong = Array.from({ length: 40_000 }, (_, n) => n / 2).filter(
      (n) => set.has(value(n)) !== Number.isInteger(n),
    )
    expect(wrong).toEqual([])
  })
})
