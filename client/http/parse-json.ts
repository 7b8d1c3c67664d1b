import type { Json } from '../types.ts'
import { HooklineError } from './api-error.ts'

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/

/** A string, or a number as it is written. */
const TOKENS = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${NUMBER.source}`, 'g')

const ONLY_NUMBER = new RegExp(`^${NUMBER.source}$`)

/**
 * Parsed JSON in which numbers are the text that was written, unless `isExact` says that a double represents them
 * exactly: amounts of coins can be finer.
 * @throws {SyntaxError}
 */
export function parseJson(text: string, isExact = isSafeInteger): Json {
  const quoted = text.replace(TOKENS, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`))
  return JSON.parse(quoted)
}

/** Whether a double represents a number, fractions included, exactly as written: up to 15 digits do (IEEE 754). */
export function isShort(number: string): boolean {
  return number.replace(/\D/g, '').length <= 15
}

function isSafeInteger(number: string): boolean {
  return Number.isSafeInteger(Number(number))
}

export function isRecord(value: Json | undefined): value is { readonly [name: string]: Json }
export function isRecord(value: unknown): value is Record<string, unknown>
export function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A JSON object that is read field by field. A field that is missing or of another type throws an error that names it.
 */
export class Fields {
  readonly #record: Record<string, unknown>
  readonly #what: string

  constructor(value: unknown, what: string) {
    if (!isRecord(value)) throw unexpected(what, 'is no object')
    this.#record = value
    this.#what = what
  }

  get(name: string): unknown {
    return this.#record[name]
  }

  string(name: string): string {
    const value = this.#record[name]
    if (typeof value !== 'string') throw unexpected(this.#what, `has no text in ${name}`)
    return value
  }

  /** `parseJson` returns a number that is no safe integer as text. */
  number(name: string): number {
    const value = this.#record[name]
    if (typeof value === 'string' && ONLY_NUMBER.test(value)) return Number(value)
    if (typeof value !== 'number') throw unexpected(this.#what, `has no number in ${name}`)
    return value
  }

  optionalString(name: string): string | undefined {
    return this.has(name) ? this.string(name) : undefined
  }

  optionalNumber(name: string): number | undefined {
    return this.has(name) ? this.number(name) : undefined
  }

  flag(name: string): boolean {
    return this.#record[name] === true
  }

  /** A decimal number of coins, as text: exact. */
  amount(name: string): string {
    const value = this.#record[name]
    if (typeof value === 'string' && /^-?\d/.test(value)) return value
    if (typeof value === 'number') return value.toString()
    throw unexpected(this.#what, `has no amount in ${name}`)
  }

  list<Entry>(name: string, read: (entry: unknown) => Entry): Entry[] {
    const value = this.#record[name]
    if (!Array.isArray(value)) throw unexpected(this.#what, `has no list in ${name}`)
    return value.map((entry: unknown) => read(entry))
  }

  optionalList<Entry>(name: string, read: (entry: unknown) => Entry): Entry[] | undefined {
    return this.has(name) ? this.list(name, read) : undefined
  }

  object(name: string): Fields {
    return new Fields(this.#record[name], `${this.#what}.${name}`)
  }

  has(name: string): boolean {
    return this.#record[name] !== undefined && this.#record[name] !== null
  }

  names(): string[] {
    return Object.keys(this.#record)
  }
}

/** Reads an entry of a list of strings. */
export function readString(entry: unknown): string {
  if (typeof entry !== 'string') throw unexpected('A list', 'has an entry that is no text')
  return entry
}

function unexpected(what: string, problem: string): HooklineError {
  return new HooklineError('unexpected_answer', `${what} in the service's answer ${problem}.`)
}
