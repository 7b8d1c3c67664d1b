import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AmountError, formatAmount, parseAmount } from '../../protocol/amount.ts'

describe('an amount of coins', () => {
  it('is parsed from its text again, at any size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n }), (units) => {
        expect(parseAmount(formatAmount(units))).toBe(units)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is parsed from any number that JSON writes with at most eight decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), (units) => {
        expect(parseAmount(String(units / 1e8))).toBe(BigInt(units))
        expect(parseAmount((units / 1e8).toFixed(8))).toBe(BigInt(units))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['1', 100_000_000n],
    ['0.00000001', 1n],
    ['-0.5', -50_000_000n],
    ['1e-8', 1n],
    ['1.5E+2', 15_000_000_000n],
    ['90071992.54740993', 9_007_199_254_740_993n],
    ['0.100000000000', 10_000_000n],
    ['0', 0n],
  ])('%s is %s base units', (text, units) => expect(parseAmount(text)).toBe(units))

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '0.000000001',
    '1e-9',
    '1,5',
    '--1',
    '1e999',
  ])('refuses %j', (text) => expect(() => parseAmount(text)).toThrow(AmountError))

  it('throws nothing but an AmountError', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), (text) => {
        try {
          parseAmount(text)
        } catch (error) {
          if (!(error instanceof AmountError)) throw error
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('is written without trailing zeros', () => {
    const written: [bigint, string][] = [
      [150_000_000n, '1.5'],
      [1n, '0.00000001'],
      [0n, '0'],
      [-5n, '-0.00000005'],
      [2_100_000_000n, '21'],
    ]
    for (const [units, text] of written) expect(formatAmount(units)).toBe(text)
  })
})
