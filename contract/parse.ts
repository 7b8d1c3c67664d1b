import * as v from 'valibot'
import type { Output, Schema } from './schema.ts'

/** What is wrong with a value: which field, as a program writes it, and a problem that reads on from its name. */
export interface Problem {
  field: string
  problem: string
}

/** The parsed form of a value from JSON or a query, or its first problem in the order of the schema's fields. */
export function parse<S extends Schema>(schema: S, value: unknown): { output: Output<S> } | Problem {
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true })
  if (success) return { output }
  const [{ path = [], message }] = issues
  const field = path.reduce(
    (name, { key }) =>
      `${name}${typeof key === 'number' ? `[${key}]` : name && '.'}${typeof key === 'number' ? '' : String(key)}`,
    '',
  )
  return { field, problem: message }
}
