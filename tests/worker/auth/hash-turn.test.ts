import { afterEach, describe, expect, it, vi } from 'vitest'
import { withHashTurn } from '../../../worker/auth/hash-turn.ts'
import { fetchApi } from '../fetch-api.ts'

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

  it('serves other requests between the hashes, not after the last one', async () => {
    const events: string[] = []
    const block = () => {
      const until = performance.now() + 20
      while (performance.now() < until);
      events.push('hash')
    }
    const hashes = Array.from({ length: 9 }, () => withHashTurn(block))
    const other = fetchApi('GET', '/v0/token').then(() => events.push('other'))
    await Promise.all([...hashes, other])
    expect(events.indexOf('other')).toBeLessThan(8)
  })
})
