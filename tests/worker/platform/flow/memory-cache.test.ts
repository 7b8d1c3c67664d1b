import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryCache } from '../../../../worker/platform/flow/memory-cache.ts'

describe('values in memory', () => {
  it('are never more than the budget, and each that is there is the one put last', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bytes: fc.integer({ min: 0, max: 60 }),
      asks: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new MemoryCache<number>(100, 50)
        const put = new Map<string, { value: number; bytes: number }>()
        for (const [value, { key, bytes, asks }] of steps.entries()) {
          if (asks) cache.get(key)
          cache.set(key, value, bytes)
          put.set(key, { value, bytes })
        }
        const found = [...put].filter(([key]) => cache.get(key) !== undefined)
        for (const [key, { value }] of found) expect(cache.get(key)).toBe(value)
        expect(found.reduce((used, [, { bytes }]) => used + bytes, 0)).toBeLessThanOrEqual(100)
      }),
    )
  })

  it('that were asked for outlive one that was not', () => {
    const cache = new MemoryCache<string>(3, 1)
    for (const key of ['asked', 'idle', 'young']) cache.set(key, key, 1)
    cache.get('asked')
    cache.set('new', 'new', 1)
    expect(['asked', 'idle', 'young', 'new'].map((key) => cache.get(key))).toEqual(['asked', undefined, 'young', 'new'])
  })

  it('that were asked for once go when others are asked for since', () => {
    const cache = new MemoryCache<string>(2, 1)
    cache.set('once', 'once', 1)
    cache.get('once')
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key, 1)
    expect(cache.get('once')).toBeUndefined()
  })

  it('that are too large are not kept, and take the place of none', () => {
    const cache = new MemoryCache<string>(10, 4)
    cache.set('small', 'small', 4)
    cache.set('large', 'large', 5)
    expect([cache.get('small'), cache.get('large')]).toEqual(['small', undefined])
  })
})
