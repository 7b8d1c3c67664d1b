import { afterEach, describe, expect, it, vi } from 'vitest'
import { withHashTurn } from '../../../worker/auth/hash-turn.ts'

describe('the queue before the hash', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('lets one work and eight wait, in their order, and refuses the tenth with 503', async () => {
    const order: number[] = []
    const turns = Array.from({ length: 12 }, (_, index) => withHashTurn(() => order.push(index)))
    const outcomes = await Promise.allSettled(turns)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(3)
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '1' } })
    }
  })

  it('is free again after a hash that failed', async () => {
    const failing = Array.from({ length: 9 }, () => withHashTurn(() => Promise.reject(new Error('broken'))))
    await Promise.allSettled(failing)
    expect(await withHashTurn(() => 'done')).toBe('done')
  })

  it('lets other work in between two hashes', async () => {
    const events: string[] = []
    const first = withHashTurn(() => events.push('hash'))
    const second = withHashTurn(() => events.push('hash'))
    await first
    events.push('other')
    await second
    expect(events).toEqual(['hash', 'other', 'hash'])
  })
})
