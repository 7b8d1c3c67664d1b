import { type Blockchain, isBlockchain, isStorageTarget, type StorageTarget } from '../../protocol/chains.ts'
import { HooklineError } from '../http/api-error.ts'
import { Fields, readString } from '../http/parse-json.ts'

/** Reads and checks the field `name` of an answer. @throws {HooklineError} `unexpected_answer` */
export type Field<Value> = (answer: Fields, name: string) => Value

type Shape = Readonly<Record<string, Field<unknown>>>

/** What an answer of this shape is, once it is read. */
export type ShapeOf<Fields extends Shape> = { [Name in keyof Fields]: ReturnType<Fields[Name]> }

/** Reads a whole answer, or an entry of one. @throws {HooklineError} `unexpected_answer` */
export type Reader<Value> = (value: unknown) => Value

/** The value that a reader, or a field, reads. */
export type Answer<Read extends Reader<unknown>> = ReturnType<Read>

export const text: Field<string> = (answer, name) => answer.string(name)
export const number: Field<number> = (answer, name) => answer.number(name)
/** True, or else false. */
export const flag: Field<boolean> = (answer, name) => answer.flag(name)
/** A decimal number of coins, as text: exact. */
export const amount: Field<string> = (answer, name) => answer.amount(name)
export const texts: Field<string[]> = (answer, name) => answer.list(name, readString)

export const storageTarget: Field<StorageTarget> = (answer, name) => {
  const value = answer.get(name)
  if (isStorageTarget(value)) return value
  throw unknownName('storage target', value)
}

export const blockchain: Field<Blockchain> = (answer, name) => {
  const value = answer.get(name)
  if (isBlockchain(value)) return value
  throw unknownName('blockchain', value)
}

/** A field that may be missing, or null. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return (answer, name) => (answer.has(name) ? field(answer, name) : undefined)
}

/** The same, with what it is then. */
export function withDefault<Value>(field: Field<Value>, value: Value): Field<Value> {
  return (answer, name) => (answer.has(name) ? field(answer, name) : value)
}

/** One of these words; `what` they are is for the error. */
export function oneOf<const Word extends string>(what: string, words: readonly Word[]): Field<Word> {
  return (answer, name) => {
    const found = words.find((word) => word === answer.get(name))
    if (found === undefined) throw unknownName(what, answer.get(name))
    return found
  }
}

/** A list of what `read` reads. */
export function listed<Entry>(read: Reader<Entry>): Field<Entry[]> {
  return (answer, name) => answer.list(name, read)
}

/** An object in the answer, with fields of its own. */
export function object<Own extends Shape>(shape: Own): Field<ShapeOf<Own>> {
  return (answer, name) => readFields(answer.object(name), shape)
}

/** An object whose names are not known ahead, with the same field under each. */
export function byName<Value>(field: Field<Value>): Field<Record<string, Value>> {
  return (answer, name) => {
    const entries = answer.object(name)
    return Object.fromEntries(entries.names().map((own) => [own, field(entries, own)]))
  }
}

/** Reads answers of this shape; `what` they are is for errors. */
export function answerReader<Own extends Shape>(what: string, shape: Own): Reader<ShapeOf<Own>> {
  return (value) => readFields(new Fields(value, what), shape)
}

function readFields<Own extends Shape>(answer: Fields, shape: Own): ShapeOf<Own>
function readFields(answer: Fields, shape: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, field(answer, name)]))
}

function unknownName(what: string, value: unknown): HooklineError {
  return new HooklineError('unexpected_answer', `The service names an unknown ${what}: ${String(value)}.`)
}
