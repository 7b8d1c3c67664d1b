import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withTimeout } from '../../../../worker/platform/flow/with-timeout.ts'

describe('an answer with a timeout', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('is the answer, or its failure, while there is time', async () => {
    expect(await withTimeout(Promise.resolve(7), 100, 'D1')).toBe(7)
    await expect(withTimeout(Promise.reject(new Error('refused')), 100, 'D1')).rejects.toThrow('refused')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is an error that names who was silent, when time is up', async () => {
    const outcome = expect(withTimeout(new Promise(() => {}), 100, 'D1')).rejects.toThrow('D1 did not answer in 100 ms')
    await vi.advanceTimersByTimeAsync(100)
    await outcome
  })
})
