import type { Context } from 'hono'
import type { Output, Schema } from '../../../contract/schema.ts'
import { invalidField } from './errors.ts'
import { readJson } from './read-body.ts'

/**
 * The JSON body of a request, parsed by the schema `name`.
 * @throws {AppError} 413, 415, 400 naming the first field that is wrong.
 */
export async function readRequest<Name extends string, Schemas extends Record<Name, Schema>>(
  c: Context,
  limit: number,
  load: () => Promise<Schemas>,
  name: Name,
): Promise<Output<Schemas[Name]>> {
  return await parseAs(await readJson(c, limit), load, name)
}

/**
 * A value from JSON or a query, parsed by the schema `name`. Schemas are loaded at the first request that needs them,
 * and not when the Worker starts.
 * @throws {AppError} 400 naming the first field that is wrong.
 */
export async function parseAs<Name extends string, Schemas extends Record<Name, Schema>>(
  value: unknown,
  load: () => Promise<Schemas>,
  name: Name,
): Promise<Output<Schemas[Name]>> {
  const [{ parse }, schemas] = await Promise.all([import('../../../contract/parse.ts'), load()])
  const parsed = parse(schemas[name], value)
  if ('output' in parsed) return parsed.output
  throw invalidField(parsed.field, parsed.problem)
}
