import { expect, it } from 'vitest'
import { isAffordable } from '../../../../worker/features/transactions/sign/is-affordable.ts'

it('writes up to the ceiling of what a price was made with', () => {
  expect(isAffordable({ feeRate: 1_000n }, 1_500n, 150)).toBe(true)
  expect(isAffordable({ feeRate: 1_000n }, 1_501n, 150)).toBe(false)
})
