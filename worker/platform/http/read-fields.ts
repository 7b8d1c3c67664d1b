import { AmountError, parseAmount } from '../../../protocol/amount.ts'
import { invalidField } from './errors.ts'

/** A field of a body that must be a string. @throws {AppError} 400 naming it. */
export function readText(body: Record<string, unknown>, field: string): string {
  const value = Object.hasOwn(body, field) ? body[field] : undefined
  if (value === undefined) throw invalidField(field, 'is missing.')
  if (typeof value !== 'string') throw invalidField(field, 'must be a string.')
  return value
}

/** A field of a body that must be a whole number from `least` to `most`. @throws {AppError} 400 naming it. */
export function readInteger(body: Record<string, unknown>, field: string, least: number, most: number): number {
  const value = Object.hasOwn(body, field) ? body[field] : undefined
  if (value === undefined) throw invalidField(field, 'is missing.')
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw invalidField(field, `must be a whole number from ${least} to ${most}.`)
  }
  return value
}

/** A field of a body that must be a decimal number of coins as text; in base units. @throws {AppError} 400 naming it. */
export function readCoins(body: Record<string, unknown>, field: string): bigint {
  const text = readText(body, field)
  try {
    const units = parseAmount(text)
    if (units >= 0n) return units
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
  }
  throw invalidField(field, 'must be a decimal number of coins as text, with at most 8 decimals, such as "0.5".')
}

/** Whether a value that came as JSON is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
