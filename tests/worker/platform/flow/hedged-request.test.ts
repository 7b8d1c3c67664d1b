import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AllAttemptsFailed, type HedgeOptions, hedgedRequest } from '../../../../worker/platform/flow/hedged-request.ts'

const asking: HedgeOptions = { hedgeMs: 100, hedgeWidth: 1, deadlineMs: 1000 }
const silence = () => new Promise<never>(() => {})

/** Asks 'a', 'b' and 'c', each of which does what is said of it. */
function ask(answers: Record<string, () => Promise<string>>, options: Partial<HedgeOptions> = {}) {
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const answer = hedgedRequest(
    Object.keys(answers),
    (source, signal) => {
      asked.push(source)
      signals.push(signal)
      return answers[source]?.() ?? silence()
    },
    { ...asking, ...options },
  )
  answer.catch(() => {})
  return { answer, asked, signals }
}

describe('asking in turn', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('asks only the first while that answers', async () => {
    const { answer, asked } = ask({ a: async () => 'A', b: async () => 'B' })
    expect([await answer, asked]).toEqual(['A', ['a']])
  })

  it('asks the next at once when one fails', async () => {
    const { answer, asked } = ask({ a: () => Promise.reject(new Error()), b: async () => 'B' })
    expect([await answer, asked]).toEqual(['B', ['a', 'b']])
  })

  it('adds so many others after each silence, and ends the requests that lost', async () => {
    const { answer, asked, signals } = ask({ a: silence, b: silence, c: async () => 'C' })
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(100)
    expect(await answer).toBe('C')
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true, true])
  })

  it('adds all others at once where the hedge is that wide', async () => {
    const { asked } = ask({ a: silence, b: silence, c: silence }, { hedgeWidth: 3 })
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  it('asks one again after the pause that the caller says', async () => {
    let tries = 0
    const busyOnce = () => (tries++ === 0 ? Promise.reject(new Error('busy')) : Promise.resolve('A'))
    const { answer, asked } = ask({ a: busyOnce }, { retryAfter: () => 50 })
    await vi.advanceTimersByTimeAsync(49)
    expect(asked).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect([await answer, asked]).toEqual(['A', ['a', 'a']])
  })

  it('gives all failures, in the order in which they came, when nobody is left', async () => {
    const { answer } = ask({ a: () => Promise.reject('one'), b: () => Promise.reject('two') })
    await expect(answer).rejects.toMatchObject({ failures: ['one', 'two'], late: false })
  })

  it('is late when time is up before anybody answers', async () => {
    const { answer } = ask({ a: () => Promise.reject('one'), b: silence })
    await vi.advanceTimersByTimeAsync(1000)
    await expect(answer).rejects.toMatchObject({ failures: ['one'], late: true })
  })

  it('ends at once with a failure that is the caller’s own', async () => {
    const bug = new TypeError('bug')
    const { answer, asked } = ask({ a: () => Promise.reject(bug), b: async () => 'B' }, { isFatal: () => true })
    await expect(answer).rejects.toBe(bug)
    expect(asked).toEqual(['a'])
  })

  it('has nobody to ask', async () => {
    await expect(ask({}).answer).rejects.toBeInstanceOf(AllAttemptsFailed)
  })
})
