import { afterEach, expect, it, vi } from 'vitest'
import * as clock from '../../../../worker/platform/clock.ts'
import { logOnceAMinute } from '../../../../worker/platform/records/log-once-a-minute.ts'

afterEach(() => vi.restoreAllMocks())

const MINUTE = 60_000
/** What was written before is remembered, so each run is at a time of its own. */
let start = 0

it('writes the first line of a code in a minute, and in a later one how many were left out', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  start += 10 * MINUTE
  const time = vi.spyOn(clock, 'now').mockReturnValue(start)
  for (const user of ['a', 'b', 'c']) logOnceAMinute('warn', 'job_failed', user)
  logOnceAMinute('error', 'part_down', 'other')
  time.mockReturnValue(start + 2 * MINUTE)
  logOnceAMinute('warn', 'job_failed', 'd')
  time.mockReturnValue(start + 3 * MINUTE)
  logOnceAMinute('warn', 'job_failed', 'e')
  expect(error.mock.calls).toEqual([['part_down', 'other']])
  expect(warn.mock.calls).toEqual([
    ['job_failed', 'a'],
    ['job_failed', 'd', 'and 2 more before'],
    ['job_failed', 'e'],
  ])
})
