import { parseAmount } from '../../protocol/amount.ts'
import { type Blockchain, CHAINS, COIN } from '../../protocol/chains.ts'
import { language } from '../texts/language.ts'

/**
 * The base units of an amount of the API.
 * @throws {AmountError}
 */
export function unitsOf(amount: number | string): bigint {
  return parseAmount(String(amount))
}

const WHOLE = new Intl.NumberFormat(language)
/** What is between the whole coins and their parts: a point, or a comma. */
const POINT = WHOLE.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'

/** Always eight decimals, digits in groups, a true minus sign: "1,204.00000000". */
export function amountText(units: bigint): string {
  const absolute = units < 0n ? -units : units
  return `${units < 0n ? '−' : ''}${WHOLE.format(absolute / COIN)}${POINT}${decimals(absolute)}`
}

/**
 * An amount as somebody types it: with the decimal mark of the language, or with a point. Groups of digits are refused,
 * since "1.204" is read in two ways.
 */
export function readAmount(typed: string): bigint | undefined {
  try {
    return parseAmount(typed.trim().replace(POINT, '.'))
  } catch {
    return undefined
  }
}

function decimals(units: bigint): string {
  return (units % COIN).toString().padStart(8, '0')
}

/** The same with its unit, joined by a no-break space. */
export function coinsText(units: bigint, blockchain: Blockchain): string {
  return `${amountText(units)}\u00a0${CHAINS[blockchain].ticker}`
}

/** A change of a balance, always with its sign. */
export function changeText(units: bigint, blockchain: Blockchain): string {
  return `${units > 0n ? '+' : ''}${coinsText(units, blockchain)}`
}

/** An amount for copying and sending: a decimal number with a point, in every language. */
export function plainAmount(units: bigint): string {
  const absolute = units < 0n ? -units : units
  return `${units < 0n ? '-' : ''}${absolute / COIN}.${decimals(absolute)}`
}
