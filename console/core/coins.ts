import { parseAmount } from '../../protocol/amount.ts'
import { type Blockchain, CHAINS, COIN } from '../../protocol/chains.ts'

/**
 * The base units of an amount of the API.
 * @throws {AmountError}
 */
export function unitsOf(amount: number | string): bigint {
  return parseAmount(String(amount))
}

/** Always eight decimals, digits in groups, a true minus sign: "1,204.00000000". */
export function amountText(units: bigint): string {
  const absolute = units < 0n ? -units : units
  const whole = (absolute / COIN).toString().replace(/\B(?=(\d{3})+$)/g, ',')
  return `${units < 0n ? '−' : ''}${whole}.${(absolute % COIN).toString().padStart(8, '0')}`
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
  return `${units < 0n ? '-' : ''}${amountText(units < 0n ? -units : units).replaceAll(',', '')}`
}
