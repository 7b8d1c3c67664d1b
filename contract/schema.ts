import * as v from 'valibot'

/** What a field, a body or an answer has to be; {@link parse} holds a value against it. */
export type Schema = v.GenericSchema
/** What a value is after it was held against a schema. */
export type Output<S extends Schema> = v.InferOutput<S>

/** Keywords of JSON Schema that the description has beside what the schema says by itself. */
type Keywords = Readonly<Record<string, unknown>>

interface Bounds {
  least?: number
  most?: number
  /** The error's text for another value; it reads on from the field's name. */
  sentence?: string
}

/** The schema, with a description and keywords; without any, the schema itself. */
export function noted<S extends Schema>(schema: S, description: string | undefined, keywords?: Keywords): S
export function noted(schema: Schema, description: string | undefined, keywords: Keywords = {}): Schema {
  const noted = description === undefined ? keywords : { description, ...keywords }
  return Object.keys(noted).length === 0 ? schema : v.pipe(schema, v.metadata(noted))
}

/** A text of `least` to `most` characters. */
export function text(
  description?: string,
  { least, most, pattern, allowed = () => true, sentence, ...keywords }: TextBounds = {},
) {
  const problem =
    sentence ?? (most === undefined ? 'must be a string.' : `must be a text of ${least ?? 0} to ${most} characters.`)
  const form = pattern === undefined ? undefined : new RegExp(pattern)
  const fits = (value: string) =>
    value.length >= (least ?? 0) &&
    value.length <= (most ?? value.length) &&
    (form === undefined || form.test(value)) &&
    allowed(value)
  const bounds = { minLength: least, maxLength: most, pattern }
  return noted(v.pipe(v.string(problem), v.check(fits, problem)), description, { ...given(bounds), ...keywords })
}
type TextBounds = Bounds & {
  pattern?: string
  allowed?: (value: string) => boolean
  format?: string
  example?: string
}

/** A whole number from `least` to `most`. */
export function integer(description?: string, { least, most, sentence, ...keywords }: Bounds & Keywords = {}) {
  const problem = sentence ?? `must be a whole number${rangeText(least, most)}.`
  const fits = (value: number) => Number.isSafeInteger(value) && value >= (least ?? value) && value <= (most ?? value)
  const bounds = { type: 'integer', minimum: least, maximum: most }
  return noted(v.pipe(v.number(problem), v.check(fits, problem)), description, { ...given(bounds), ...keywords })
}

export const number = (description?: string) => noted(v.number('must be a number.'), description)
export const flag = (description?: string, keywords?: Keywords) =>
  noted(v.boolean('must be true or false.'), description, keywords)
export const count = (description?: string) => integer(description, { least: 0 })

/** A whole number as a query has it. */
export function digits(description: string, { least, most }: { least: number; most: number }) {
  const problem = `must be a whole number from ${least} to ${most}.`
  const fits = (value: string) => /^(0|[1-9]\d{0,15})$/.test(value) && Number(value) >= least && Number(value) <= most
  const schema = v.pipe(v.string(problem), v.check(fits, problem))
  return v.pipe(noted(schema, description, { type: 'integer', minimum: least, maximum: most }), v.transform(Number))
}

/** A time in Unix seconds. */
export const seconds = (description: string) => integer(`${description}, in Unix seconds.`)
export const timeOrNull = (description: string) => nullable(integer(), `${description}, in Unix seconds.`)
/** An amount of money as answers carry it. */
export const coins = (description: string) =>
  number(`${description}, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double.`)

/** One of these. */
export function words<const Word extends string | number>(
  list: readonly Word[],
  description?: string,
  sentence?: string,
) {
  return noted(v.picklist(list, sentence ?? `must be one of: ${list.join(', ')}.`), description)
}
/** A list of at least one of these. */
export function someOf<const Word extends string>(list: readonly Word[], sentence: string) {
  const known = (value: unknown): value is Word[] =>
    Array.isArray(value) && value.length > 0 && value.every((word) => list.some((each) => each === word))
  const keywords = { type: 'array', minItems: 1, items: { type: 'string', enum: list } }
  return noted(v.custom<Word[]>(known, sentence), undefined, keywords)
}
/** Always this. */
export function only<const Value extends string | boolean>(value: Value, description?: string) {
  return noted(v.literal(value, `must be ${value}.`), description, { type: typeof value })
}

/** A list of `least` to `most` of these. */
export function list<S extends Schema>(item: S, description?: string, { least, most, sentence }: Bounds = {}) {
  const problem = sentence ?? (most === undefined ? 'must be a list.' : `must be a list of ${least ?? 0} to ${most}.`)
  const fits = (values: Output<S>[]) => values.length >= (least ?? 0) && values.length <= (most ?? values.length)
  const bounds = given({ minItems: least, maxItems: most })
  return noted(v.pipe(v.array(item, problem), v.check(fits, problem)), description, bounds)
}

/** An object with these fields; others are passed over. */
export function object<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object(entries, ({ path }) => (path ? 'is missing.' : 'must be an object.'))
}
/** An object with the same under each name. */
export function record<S extends Schema>(value: S, description?: string) {
  const schema = v.record(v.string(), value, 'must be an object.')
  // To the library a list is an object too.
  const run: (typeof schema)['~run'] = (dataset, config) =>
    schema['~run'](Array.isArray(dataset.value) ? { value: undefined } : dataset, config)
  return noted({ ...schema, '~run': run }, description)
}

export function nullable<S extends Schema>(schema: S, description?: string) {
  return noted(v.nullable(schema), description)
}
/** May be left out. */
export function optional<S extends Schema>(schema: S, description?: string) {
  return noted(v.optional(schema), description)
}
/** Optional; null means the same as absent. */
export function nullish<S extends Schema>(schema: S, description?: string) {
  return noted(v.nullish(schema), description)
}
/** One of several forms. */
export function either<const Options extends [Schema, ...Schema[]]>(options: Options, sentence?: string) {
  return v.union(options, sentence)
}
/** Anything. */
export const anything = (description?: string, keywords?: Keywords) => noted(v.unknown(), description, keywords)

function given(keywords: Keywords): Keywords {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined))
}

function rangeText(least: number | undefined, most: number | undefined): string {
  if (most !== undefined) return ` from ${least ?? 0} to ${most}`
  return least === undefined ? '' : `, at least ${least}`
}
