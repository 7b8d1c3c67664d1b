import { COIN } from './chains.ts'

/** Thrown for text that is no amount of coins. */
export class AmountError extends Error {
  override name = 'AmountError'
  readonly code = 'invalid_amount'
}

/**
 * Base units of a decimal number of coins, exact: at most 8 decimals, an exponent as JSON writes it, no sign
 * but a leading minus. @throws {AmountError}
 */
export function parseAmount(text: string): bigint {
  const match = /^(-?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text)
  if (!match) throw new AmountError(`is not a decimal number of coins: ${JSON.stringify(text.slice(0, 40))}`)
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const scale = 8 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const divisor = 10n ** BigInt(Math.max(0, -scale))
  if (digits % divisor !== 0n) throw new AmountError(`has more than 8 decimals: ${JSON.stringify(text.slice(0, 40))}`)
  const value = (digits * 10n ** BigInt(Math.max(0, scale))) / divisor
  return sign ? -value : value
}

/** Base units as a decimal number of coins with all eight decimals, as tables have it: 150000000n is "1.50000000". */
export function formatFixedAmount(units: bigint): string {
  const absolute = units < 0n ? -units : units
  return `${units < 0n ? '-' : ''}${absolute / COIN}.${(absolute % COIN).toString().padStart(8, '0')}`
}

/** Base units as a decimal number of coins, without trailing zeros: 150000000n is "1.5". */
export function formatAmount(units: bigint): string {
  const absolute = units < 0n ? -units : units
  const fraction = (absolute % COIN).toString().padStart(8, '0').replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${absolute / COIN}${fraction && `.${fraction}`}`
}
