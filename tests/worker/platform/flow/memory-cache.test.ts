import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CacheBudget, MemoryCache } from '../../../../worker/platform/flow/memory-cache.ts'

/** What an entry with a key of one letter takes beside what its caller counts (bytes). */
const ENTRY = 202

describe('values in memory', () => {
  it('are never more than the budget, and each that is there is the one put last', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bytes: fc.integer({ min: 0, max: 60 }),
      asks: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new MemoryCache<number>(50, new CacheBudget(100 + 2 * ENTRY))
        const put = new Map<string, { value: number; bytes: number }>()
        for (const [value, { key, bytes, asks }] of steps.entries()) {
          if (asks) cache.get(key)
          cache.set(key, value, bytes)
          put.set(key, { value, bytes })
        }
        const found = [...put].filter(([key]) => cache.get(key) !== undefined)
        for (const [key, { value }] of found) expect(cache.get(key)).toBe(value)
        expect(found.reduce((used, [, { bytes }]) => used + bytes + ENTRY, 0)).toBeLessThanOrEqual(100 + 2 * ENTRY)
      }),
    )
  })

  it('that were asked for outlive one that was not', () => {
    const cache = new MemoryCache<string>(1, new CacheBudget(3 * (ENTRY + 1)))
    for (const key of ['asked', 'idle', 'young']) cache.set(key.slice(0, 1), key, 1)
    cache.get('a')
    cache.set('n', 'new', 1)
    expect(['a', 'i', 'y', 'n'].map((key) => cache.get(key))).toEqual(['asked', undefined, 'young', 'new'])
  })

  it('that were asked for once go when others are asked for since', () => {
    const cache = new MemoryCache<string>(1, new CacheBudget(2 * (ENTRY + 1)))
    cache.set('o', 'once', 1)
    cache.get('o')
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key, 1)
    expect(cache.get('o')).toBeUndefined()
  })

  it('that are too large are not kept, and take the place of none', () => {
    const cache = new MemoryCache<string>(4, new CacheBudget(10_000))
    cache.set('small', 'small', 4)
    cache.set('large', 'large', 5)
    expect([cache.get('small'), cache.get('large')]).toEqual(['small', undefined])
  })

  it('of several caches are never more than their one budget', () => {
    const budget = new CacheBudget(10 * (ENTRY + 1))
    const caches = [1, 2, 3].map(() => new MemoryCache<number>(1, budget))
    for (const [index, cache] of caches.entries()) {
      for (const key of 'abcdefghi') cache.set(key, index, 1)
    }
    const found = caches.map((cache) => [...'abcdefghi'].filter((key) => cache.get(key) !== undefined).join(''))
    expect(found).toEqual(['', 'i', 'abcdefghi'])
    caches[2]?.clear()
    for (const key of 'abcdefghi') caches[0]?.set(key, 0, 1)
    expect(caches[1]?.get('i')).toBe(1)
  })
})
