import { AmountError, parseAmount } from '../../protocol/amount.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { JsonNumber } from './exact-json.ts'
import { RPC, RpcError } from './rpc-error.ts'

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof JsonNumber) return 'number'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** A parameter with the wrong JSON type. */
class WrongType extends RpcError {}

function wrongType(value: unknown, expected: string): WrongType {
  return new WrongType(RPC.TYPE, `JSON value of type ${typeName(value)} is not of expected type ${expected}`)
}

/** A JSON object. @throws {RpcError} -3 */
export function toObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonNumber) {
    throw wrongType(value, 'object')
  }
  return Object.fromEntries(Object.entries(value))
}

export function toArray(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw wrongType(value, 'array')
  return value
}

export function toText(value: unknown): string {
  if (typeof value !== 'string') throw wrongType(value, 'string')
  return value
}

export function toInteger(value: unknown): number {
  if (!(value instanceof JsonNumber)) throw wrongType(value, 'number')
  if (!/^-?\d{1,15}$/.test(value.text)) throw new RpcError(RPC.MISC, 'JSON integer out of range')
  return Number(value.text)
}

export function toBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(value, 'bool')
  return value
}

/** Base units of an amount of coins, a number or a text. @throws {RpcError} -3 */
export function toAmount(value: unknown): bigint {
  const text = value instanceof JsonNumber ? value.text : value
  if (typeof text !== 'string') throw new RpcError(RPC.TYPE, 'Amount is not a number or string')
  let units: bigint
  try {
    units = parseAmount(text)
  } catch (error) {
    if (error instanceof AmountError) throw new RpcError(RPC.TYPE, 'Invalid amount')
    throw error
  }
  if (units < 0n || units > 21_000_000_000_000_000_000n) throw new RpcError(RPC.TYPE, 'Amount out of range')
  return units
}

/** 32 bytes in hex. @throws {RpcError} -8 */
export function toHash(value: unknown, name: string): string {
  const text = toText(value)
  if (text.length !== 64) {
    throw new RpcError(RPC.INVALID_PARAMETER, `${name} must be of length 64 (not ${text.length}, for '${text}')`)
  }
  if (!fromHex(text)) throw new RpcError(RPC.INVALID_PARAMETER, `${name} must be hexadecimal string (not '${text}')`)
  return text.toLowerCase()
}

/** A method's arguments by position; `null` and nothing at all are the same. */
export class Params {
  readonly values: readonly unknown[]
  readonly #names: readonly string[]

  /** @param names of the arguments, for Bitcoin Core's sentence about a wrong type; Dogecoin's has none. */
  constructor(values: readonly unknown[], names: readonly string[] = []) {
    this.values = values
    this.#names = names
  }

  has(index: number): boolean {
    return this.values[index] !== undefined && this.values[index] !== null
  }

  #read<T>(index: number, convert: (value: unknown) => T): T {
    try {
      return convert(this.values[index])
    } catch (error) {
      const name = this.#names[index]
      if (!(error instanceof WrongType) || name === undefined) throw error
      const where = `    "Position ${index + 1} (${name})": "${error.message}"`
      throw new RpcError(RPC.TYPE, `Wrong type passed:\n{\n${where}\n}`)
    }
  }

  text(index: number, fallback?: string): string {
    return fallback !== undefined && !this.has(index) ? fallback : this.#read(index, toText)
  }

  integer(index: number, fallback?: number): number {
    return fallback !== undefined && !this.has(index) ? fallback : this.#read(index, toInteger)
  }

  boolean(index: number, fallback: boolean): boolean {
    return this.has(index) ? this.#read(index, toBoolean) : fallback
  }

  /** A number, or a boolean for zero and one, as verbosity has been both. */
  verbosity(index: number, fallback: number): number {
    const value = this.values[index]
    if (typeof value === 'boolean') return Number(value)
    return this.integer(index, fallback)
  }

  amount(index: number): bigint {
    return toAmount(this.values[index])
  }

  hash(index: number, name: string): string {
    return this.#read(index, (value) => toHash(value, name))
  }

  list(index: number): unknown[] {
    return this.has(index) ? this.#read(index, toArray) : []
  }

  object(index: number): Record<string, unknown> {
    return this.has(index) ? this.#read(index, toObject) : {}
  }
}
