import { formatFixedAmount } from '../../protocol/amount.ts'

/** A JSON number as it was written: amounts above 2^53 base units are not exact as numbers. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The result of a method. A `bigint` is an amount in base units, printed as coins with 8 decimals. */
export type Json = string | number | boolean | null | bigint | JsonNumber | Json[] | { [key: string]: Json | undefined }

/** JSON with every number as its text. @throws {SyntaxError} */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
  )
}

/** A value as {@link parseExact} has it from its JSON text, without writing and reading that. */
export function toExact(value: unknown): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toExact)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toExact(member)]))
}

/** A result as it would be after printing and parsing, each number made by `read` from its literal text. */
export function readAnswer(value: Json, read: (literal: string) => unknown): unknown {
  if (typeof value === 'bigint') return read(formatFixedAmount(value))
  if (typeof value === 'number') return read(String(value))
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof JsonNumber) return read(value.text)
  if (Array.isArray(value)) return value.map((member) => readAnswer(member, read))
  const members: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== undefined) members[key] = readAnswer(member, read)
  }
  return members
}

/** The JSON text of a result; keys that are `undefined` are left out. */
export function writeExact(value: Json): string {
  if (typeof value === 'bigint') return formatFixedAmount(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${writeExact(member)}`)
  }
  return `{${members.join(',')}}`
}
