import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  freeMemoryOf,
  MemoryBudget,
  MemoryShare,
  type MemoryUse,
  memoryOf,
  withPriority,
} from '../../../../worker/platform/flow/memory-budget.ts'

const MOST = 48

/** A share that waits for its bytes; `has` asks for them. */
function waiting(
  budget: MemoryBudget,
  client: string | undefined,
  bytes: number,
  { use = 'read', begun = false }: { use?: MemoryUse; begun?: boolean } = {},
) {
  const share = new MemoryShare(budget, { use, client, bytes }, vi.fn())
  expect(budget.join(share, 0, begun)).toBe(true)
  return { share, has: (time = 0) => budget.has(share) || budget.mayHave(share, time) }
}

describe('the memory that requests share', () => {
  it('is never more than there is, whoever takes and gives back, and in the end everybody had a share', () => {
    const request = fc.record({
      client: fc.constantFrom(undefined, 'a', 'b', 'c'),
      bytes: fc.integer({ min: 1, max: MOST }),
    })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
        const budget = new MemoryBudget(MOST)
        const all = requests.map(({ client, bytes }) => waiting(budget, client, bytes))
        let done = 0
        for (let round = 0; round <= requests.length && done < all.length; round++) {
          const having = all.filter(({ has, share }) => share.bytes > 0 && has())
          expect(budget.used).toBeLessThanOrEqual(MOST)
          for (const { share } of having) {
            share.release()
            share.shrink(0)
            done++
          }
        }
        expect([done, budget.used]).toEqual([all.length, 0])
      }),
    )
  })

  it('is given in the order in which it was asked for, and first to who has some already', () => {
    const budget = new MemoryBudget(MOST)
    const first = waiting(budget, 'a', 40)
    expect(first.has()).toBe(true)
    const large = waiting(budget, 'b', 20)
    const small = waiting(budget, 'c', 4)
    expect([large.has(), small.has()]).toEqual([false, false])
    const more = waiting(budget, 'a', 8, { begun: true })
    first.share.shrink(4)
    expect([small.has(), large.has(), more.has(), large.has(), small.has()]).toEqual([false, false, true, true, true])
  })

  it('is given to each use in a line of its own, by the part that it is of all that wait', () => {
    const budget = new MemoryBudget(MOST)
    const held = waiting(budget, undefined, 18, { use: 'decode' })
    expect(held.has()).toBe(true)
    const decoders = Array.from({ length: 5 }, () => waiting(budget, undefined, 6, { use: 'decode' }))
    const readers = Array.from({ length: 15 }, () => waiting(budget, undefined, 1))
    const granted = (all: readonly { has: () => boolean }[]) => all.filter(({ has }) => has()).length
    expect([granted(decoders), granted(readers)]).toEqual([0, 5])
    held.share.release()
    expect([granted(decoders), granted(readers)]).toEqual([2, 5])
  })

  it('is a quarter for one that waits beside many of another use, where others of its use have slow clients', () => {
    const budget = new MemoryBudget(MOST)
    const slow = Array.from({ length: 2 }, () => waiting(budget, undefined, 5))
    expect(slow.map(({ has }) => has())).toEqual([true, true])
    for (let count = 0; count < 50; count++) waiting(budget, undefined, 40, { use: 'decode' })
    const [small, large] = [waiting(budget, undefined, 2), waiting(budget, undefined, 1)]
    expect([small.has(100), large.has(100)]).toEqual([true, false])
  })

  it('is worked with by six at once, not counted who waits for its client, nor who goes on with what it has begun', () => {
    const budget = new MemoryBudget(MOST)
    const all = Array.from({ length: 8 }, () => waiting(budget, undefined, 1))
    expect(all.map(({ has }) => has())).toEqual([...Array(6).fill(true), false, false])
    const more = waiting(budget, undefined, 1, { begun: true })
    expect([more.has(), all[6]?.has(99), all[6]?.has(100), all[7]?.has(100)]).toEqual([true, false, true, true])
  })

  it('is for one client no more than a quarter while others wait, and all of it for one alone', () => {
    const budget = new MemoryBudget(MOST)
    const [a, b] = [waiting(budget, 'a', 30), waiting(budget, 'a', 10)]
    expect([a.has(), b.has()]).toEqual([true, true])
    b.share.release()
    const again = waiting(budget, 'a', 10)
    const other = waiting(budget, 'b', 10)
    expect([again.has(), other.has(), again.has()]).toEqual([false, true, false])
    a.share.release()
    expect(again.has()).toBe(true)
  })

  it('is given to one alone even where that is more than there is', () => {
    expect(waiting(new MemoryBudget(MOST), undefined, 2 * MOST).has()).toBe(true)
  })

  it('goes to others when a share was not used for half a minute, and what it was for is dropped', () => {
    const budget = new MemoryBudget(MOST)
    const lose = vi.fn()
    const silent = new MemoryShare(budget, { use: 'read', client: 'a', bytes: MOST }, lose)
    budget.join(silent, 0, false)
    expect(budget.mayHave(silent, 0)).toBe(true)
    const next = waiting(budget, 'b', 1)
    expect([next.has(29_000), next.has(30_000)]).toEqual([false, true])
    expect(lose).toHaveBeenCalledOnce()
    expect(() => silent.touch()).toThrow(expect.objectContaining({ code: 'busy', status: 503 }))
  })

  it('stays with who does not use it, as long as there is enough for all', () => {
    const budget = new MemoryBudget(MOST)
    const silent = waiting(budget, 'a', 4)
    expect(silent.has()).toBe(true)
    expect(waiting(budget, 'b', 4).has(60_000)).toBe(true)
    expect(silent.share.isHeld).toBe(true)
  })

  it('is lent without waiting only while nobody waits for it', () => {
    const budget = new MemoryBudget(MOST)
    const lent = freeMemoryOf('ipfs', 'a', 2, budget)
    expect([lent?.bytes, budget.used]).toEqual([2, 2])
    expect(freeMemoryOf('ipfs', 'a', MOST, budget)).toBeUndefined()
    waiting(budget, 'b', MOST)
    expect(freeMemoryOf('ipfs', 'a', 2, budget)).toBeUndefined()
    lent?.release()
    expect(budget.used).toBe(0)
  })

  it('is not given to who was cancelled, nor kept for it', () => {
    const budget = new MemoryBudget(MOST)
    const holding = waiting(budget, 'a', MOST)
    expect(holding.has()).toBe(true)
    waiting(budget, 'b', MOST)
    const alive = waiting(budget, 'c', MOST / 2)
    expect(alive.has(1_000)).toBe(false)
    holding.share.release()
    expect([alive.has(1_500), alive.has(2_000)]).toEqual([false, true])
  })

  it('is refused with 503 after 10 seconds', async () => {
    const budget = new MemoryBudget(MOST)
    let time = 0
    vi.spyOn(Date, 'now').mockImplementation(() => time)
    vi.spyOn(scheduler, 'wait').mockImplementation(async () => {
      time += 1_000
    })
    const held = await memoryOf('a', budget)('read', MOST)
    await expect(memoryOf('b', budget)('read', 1)).rejects.toMatchObject({
      status: 503,
      code: 'busy',
      headers: { 'Retry-After': '10' },
    })
    expect(time).toBe(10_000)
    expect((await withPriority(memoryOf('b', new MemoryBudget(1)))('read', 1)).begun).toBe(true)
    held.release()
    expect((await memoryOf('b', budget)('read', 1)).bytes).toBe(1)
    vi.restoreAllMocks()
  })
})
