import { COIN } from '../protocol/chains.ts'

/**
 * What an amount is worth in another currency: `about EUR 0.42`, `less than EUR 0.01`. `units` are base units, `rate` is
 * what one coin is worth, `currency` its code of ISO 4217. It is for people to read, and nothing to compute with.
 */
export function approximateText(units: bigint, rate: number, currency: string): string {
  const { less, worth } = approximateWorth(units, rate, currency, 'en')
  return less ? `less than ${worth}` : `about ${worth}`
}

/** The same without its words, in a language (BCP 47): the worth, or what it is less than. */
export function approximateWorth(
  units: bigint,
  rate: number,
  currency: string,
  language: string,
): { less: boolean; worth: string } {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'code' })
  const value = (Number(units) / Number(COIN)) * rate
  const least = 10 ** -(format.resolvedOptions().maximumFractionDigits ?? 2)
  const less = value > 0 && value < least
  return { less, worth: format.format(less ? least : value).replace(/\s/, '\u00a0') }
}
