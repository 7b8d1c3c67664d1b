import { afterEach, expect, it, vi } from 'vitest'
import * as clock from '../../../../worker/platform/clock.ts'
import { logOnceAMinute } from '../../../../worker/platform/records/log-once-a-minute.ts'

afterEach(() => vi.restoreAllMocks())

it('writes the first line of a code in a minute, and in a later one how many were left out', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const time = vi.spyOn(clock, 'now').mockReturnValue(60_000)
  for (const user of ['a', 'b', 'c']) logOnceAMinute('warn', 'unpaid_budget_full', user)
  logOnceAMinute('error', 'block_not_kept', 'other')
  time.mockReturnValue(180_000)
  logOnceAMinute('warn', 'unpaid_budget_full', 'd')
  time.mockReturnValue(240_000)
  logOnceAMinute('warn', 'unpaid_budget_full', 'e')
  expect(error.mock.calls).toEqual([['block_not_kept', 'other']])
  expect(warn.mock.calls).toEqual([
    ['unpaid_budget_full', 'a'],
    ['unpaid_budget_full', 'd', 'and 2 more before'],
    ['unpaid_budget_full', 'e'],
  ])
})
