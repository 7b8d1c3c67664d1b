import { COIN } from '../protocol/chains.ts'

/**
 * What an amount is worth in another currency: `about EUR 0.42`, `less than EUR 0.01`. `units` are base units, `rate` is
 * what one coin is worth, `currency` its code of ISO 4217. It is for people to read, and nothing to compute with.
 */
export function approximateText(units: bigint, rate: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' })
  const value = (Number(units) / Number(COIN)) * rate
  const least = 10 ** -(format.resolvedOptions().maximumFractionDigits ?? 2)
  const text = (shown: number) => format.format(shown).replace(/\s/, '\u00a0')
  return value > 0 && value < least ? `less than ${text(least)}` : `about ${text(value)}`
}
