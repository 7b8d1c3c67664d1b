import { expect, it } from 'vitest'
import { KeptMeasure } from '../../server/workers/database/kept-measure.ts'

/** A measure of the answers in their order, with a clock. */
function open(answers: (number | Error)[]) {
  let [time, asked] = [1_000_000, 0]
  const failures: unknown[] = []
  const measure = async () => {
    const answer = answers[asked++]
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often')
    return await Promise.resolve(answer)
  }
  const kept = new KeptMeasure(0, measure, (error) => failures.push(error))
  const after = async (ms: number) => {
    time += ms
    await kept.refresh(() => time)
    return kept.value
  }
  return { kept, after, failures, asked: () => asked, now: () => time }
}

it('measures once for all who ask at once, and again after 10 s', async () => {
  const { kept, after, asked, now } = open([7, 8])
  await Promise.all([kept.refresh(now), kept.refresh(now), kept.refresh(now)])
  expect([kept.value, asked()]).toEqual([7, 1])
  expect([await after(9_999), asked()]).toEqual([7, 1])
  expect([await after(1), asked()]).toEqual([8, 2])
})

it('measures again a second after a measure that failed, and says what it last knew until then', async () => {
  const { after, failures } = open([7, new Error('no answer'), 9])
  expect(await after(0)).toBe(7)
  expect(await after(10_000)).toBe(7)
  expect(String(failures)).toContain('no answer')
  expect(await after(999)).toBe(7)
  expect(await after(1)).toBe(9)
})
