import { parse } from '../../contract/parse.ts'
import type { Output, Schema } from '../../contract/schema.ts'

/** The parsed value. @throws {Error} naming the first field that is wrong, as a refusal does. */
export function parseOrThrow<S extends Schema>(schema: S, value: unknown): Output<S> {
  const parsed = parse(schema, value)
  if ('output' in parsed) return parsed.output
  throw new Error(`${parsed.field} ${parsed.problem}`)
}
