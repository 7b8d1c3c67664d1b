import { COIN } from '../../protocol/chains.ts'

/** A JSON number as it was written: amounts above 2^53 base units are not exact as numbers. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a method answers. A `bigint` is an amount in base units, written as coins with 8 decimals. */
export type Json = string | number | boolean | null | bigint | JsonNumber | Json[] | { [key: string]: Json | undefined }

/** JSON with every number as its text. @throws {SyntaxError} */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
  )
}

/** Coins with 8 decimals, as nodes write amounts. */
export function formatCoins(units: bigint): string {
  const absolute = units < 0n ? -units : units
  return `${units < 0n ? '-' : ''}${absolute / COIN}.${(absolute % COIN).toString().padStart(8, '0')}`
}

/** The JSON text of an answer; keys that are `undefined` are left out. */
export function writeExact(value: Json): string {
  if (typeof value === 'bigint') return formatCoins(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${writeExact(member)}`)
  }
  return `{${members.join(',')}}`
}
