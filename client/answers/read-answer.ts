import { SHAPES } from '../generated/shapes.ts'
import type { Answers } from '../generated/types.ts'
import { HooklineError } from '../http/api-error.ts'
import { Fields } from '../http/parse-json.ts'

/** How a value is read. `client/generated/shapes.ts` explains the letters; a word is the name of another shape. */
type Shape =
  | string
  | readonly string[]
  | { readonly list: Shape }
  | { readonly each: Shape }
  | { readonly maybe: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> }

/**
 * Checks and types a whole response, or one entry of a list in it.
 * @throws {HooklineError} `unexpected_answer`
 */
export type Reader<Value> = (value: unknown) => Value

const NAMED: Readonly<Record<string, Shape>> = SHAPES

/**
 * The reader of responses with this name. Amounts stay text, so they are exact; optional or null fields become
 * undefined.
 */
export function readerOf<Name extends keyof Answers>(name: Name): Reader<Answers[Name]>
export function readerOf(name: string): Reader<unknown> {
  const what = `The ${name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()}`
  return (value) => read(new Fields({ [name]: value }, what), name, NAMED[name] ?? 'u', what)
}

function read(answer: Fields, name: string, shape: Shape, what: string): unknown {
  if (typeof shape === 'string') return readNamed(answer, name, shape, what)
  if ('maybe' in shape) return answer.has(name) ? read(answer, name, shape.maybe, what) : undefined
  if ('list' in shape)
    return answer.list(name, (entry) => read(new Fields({ [name]: entry }, what), name, shape.list, what))
  if ('each' in shape) {
    const entries = new Fields(answer.get(name), what)
    return Object.fromEntries(entries.names().map((own) => [own, read(entries, own, shape.each, what)]))
  }
  if ('fields' in shape) {
    const fields = new Fields(answer.get(name), what)
    return Object.fromEntries(Object.entries(shape.fields).map(([own, each]) => [own, read(fields, own, each, what)]))
  }
  const word = answer.get(name)
  if (shape.some((known) => known === word)) return word
  throw new HooklineError(
    'unexpected_answer',
    `${what} in the service's answer has an unknown ${name}: ${String(word)}.`,
  )
}

function readNamed(answer: Fields, name: string, shape: string, what: string): unknown {
  const [letter = '', mark] = shape
  const other = shape.length > 2 ? NAMED[shape] : undefined
  if (other !== undefined) return read(answer, name, other, what)
  if (mark === '?' && !answer.has(name)) return undefined
  switch (letter) {
    case 't':
      return answer.string(name)
    case 'n':
      return answer.number(name)
    case 'a':
      return answer.amount(name)
    case 'f':
      return answer.flag(name)
    default:
      return answer.get(name)
  }
}
