import { expect, it } from 'vitest'
import { approximateText } from '../../client/approximate-text.ts'

it.each([
  [10_500n, 4, 'EUR', 'less than EUR\u00a00.01'],
  [10_500_000n, 4, 'EUR', 'about EUR\u00a00.42'],
  [100_000_000_000n, 90_000, 'USD', 'about USD\u00a090,000,000.00'],
  // A currency without a smaller unit.
  [10_500_000n, 600, 'JPY', 'about JPY\u00a063'],
  [1n, 600, 'JPY', 'less than JPY\u00a01'],
  [0n, 4, 'EUR', 'about EUR\u00a00.00'],
])('%d base units at %d %s are %s', (units, rate, currency, text) => {
  expect(approximateText(units, rate, currency)).toBe(text)
})
