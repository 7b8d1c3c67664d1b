import type { ValueName } from '../../../contract/fields.ts'
import { isRecord } from '../../platform/http/is-record.ts'
import type { Answer, Link, Operation, Paths, Schema } from './openapi.ts'

/** Runtime expressions (OpenAPI 3.1, 4.8.20.4) of the values that an answer has, by their names; `each` of whole lists. */
interface Values {
  one: ReadonlyMap<string, string>
  each: ReadonlyMap<string, string>
}

type Schemas = Readonly<Record<string, Schema>>

/** Values that an operation takes as well, where the answer has none that is called as what it takes. */
const TAKEN_FOR: Partial<Record<string, readonly ValueName[]>> = {
  address: ['request address'],
  chain: ['target'],
  item: ['upload'],
  target: ['chain'],
} satisfies Partial<Record<ValueName, readonly ValueName[]>>

/** That these are given is no reason for a link: most answers have one. */
const EVERYWHERE: readonly string[] = ['chain', 'target'] satisfies ValueName[]

/** Adds to each answer the links to the operations that take a value which it has (OpenAPI 3.1, 4.8.20). */
export function withLinks(paths: Paths, schemas: Schemas): Paths {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const linked = (method: string, operation: Operation): Operation => {
    const responses = Object.entries(operation.responses).map(([status, answer]): [string, Answer] => {
      const values = valuesOf(operation, answer, method === 'delete', schemas)
      const toOthers = /^(20[0-4]|402)/.test(status)
        ? operations.flatMap((to) => linkTo(to, values, schemas) ?? [])
        : []
      const links = [...toOthers.map((link) => [link.operationId, link]), ...nextPage(operation, status)]
      return [status, links.length === 0 ? answer : { ...answer, links: Object.fromEntries(links) }]
    })
    return { ...operation, responses: Object.fromEntries(responses) }
  }
  const changed = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, linked(method, operation)])),
  ])
  return Object.fromEntries(changed)
}

/**
 * What an answer has: in its body, where the first row of a list stands for each, in its headers, and in its request,
 * unless that `ends` what it names.
 */
function valuesOf(
  { parameters = [], requestBody }: Operation,
  answer: Answer,
  ends: boolean,
  schemas: Schemas,
): Values {
  const [one, each] = [new Map<string, string>(), new Map<string, string>()]
  const note = (map: Map<string, string>, schema: Schema | undefined, expression: string): void => {
    const name = valueName(schema, schemas)
    if (name !== undefined && !map.has(name)) map.set(name, expression)
  }
  const noteFields = (schema: Schema | undefined, pointer: string, depth: number): void => {
    const fields = formsOf(schema, schemas).flatMap(({ properties = {} }) => Object.entries(properties))
    for (const [field, value] of fields) note(one, value, `${pointer}/${field}`)
    for (const [field, value] of fields) {
      const [items] = formsOf(value, schemas).flatMap((form) => form.items ?? [])
      note(each, items, `${pointer}/${field}`)
      note(one, items, `${pointer}/${field}/0`)
      if (depth > 0) noteFields(items, `${pointer}/${field}/0`, depth - 1)
    }
  }
  noteFields(answer.content?.['application/json']?.schema, '$response.body#', 1)
  for (const [header, described] of Object.entries(answer.headers ?? {})) {
    if ('schema' in described) note(one, described.schema, `$response.header.${header}`)
  }
  if (ends) return { one, each }
  for (const { name, in: place, schema } of parameters) if (place === 'path') note(one, schema, `$request.path.${name}`)
  noteFields(requestBody?.content['application/json']?.schema, '$request.body#', 0)
  return { one, each }
}

/** The link to an operation from an answer with these values; `undefined` where it takes none, or needs another. */
function linkTo(to: Operation, values: Values, schemas: Schemas): Link | undefined {
  const link: Link = { operationId: to.operationId, description: `${to.summary}.` }
  let isReason = false
  for (const { name, in: place, required, schema } of to.parameters ?? []) {
    const value = takenValue(schema, values, schemas) ?? (required ? constantOf(schema, schemas) : undefined)
    if (value === undefined && required) return undefined
    if (value === undefined) continue
    link.parameters = { ...link.parameters, [name]: value }
    const named = valueName(schema, schemas)
    isReason ||= named !== undefined && (place === 'path' || !EVERYWHERE.includes(named))
  }
  const body = to.requestBody?.required ? bodyOf(to, values, schemas) : undefined
  if (body) link.requestBody = body.fields
  return isReason || body?.isReason ? link : undefined
}

/** The fields of a body that are known: those that the answer has, over those of the example; `undefined` where one is missing. */
function bodyOf({ requestBody }: Operation, values: Values, schemas: Schemas) {
  const { schema, example } = requestBody?.content['application/json'] ?? {}
  const [form] = formsOf(schema, schemas)
  if (!form) return undefined
  const { required = [], properties = {} } = form
  const own = Object.entries(properties).map(([field, value]) => ({
    field,
    named: valueName(value, schemas) ?? valueName(value.items, schemas),
    value: takenValue(value, values, schemas),
  }))
  const given = own.flatMap(({ field, named, value }): [string, unknown][] => {
    const known = named === undefined && isRecord(example) ? example[field] : value
    return known === undefined ? [] : [[field, known]]
  })
  const fields = Object.fromEntries(given)
  if (given.length === 0 || required.some((field) => !(field in fields))) return undefined
  const isReason = own.some(
    ({ field, named = 'chain', value }) =>
      value !== undefined && required.includes(field) && !EVERYWHERE.includes(named),
  )
  return { fields, isReason }
}

/** What is given for a field of this schema: a value, or a list of it. */
function takenValue(schema: Schema, values: Values, schemas: Schemas): unknown {
  const find = (map: ReadonlyMap<string, string>, name: string | undefined) =>
    name === undefined ? undefined : [name, ...(TAKEN_FOR[name] ?? [])].map((one) => map.get(one)).find(Boolean)
  const [items] = formsOf(schema, schemas).flatMap((form) => form.items ?? [])
  if (!items) return find(values.one, valueName(schema, schemas))
  const named = valueName(items, schemas)
  const single = find(values.one, named)
  return find(values.each, named) ?? (single && [single])
}

/** What stands for a field that no answer has: its only value, or its example. */
function constantOf(schema: Schema, schemas: Schemas): unknown {
  const [form] = formsOf(schema, schemas)
  return form?.example ?? (form?.enum?.length === 1 ? form.enum[0] : undefined)
}

/** The name of the value that a field holds (`named` of contract/fields.ts). */
function valueName(schema: Schema | undefined, schemas: Schemas): string | undefined {
  return formsOf(schema, schemas).find((form) => form['x-value'] !== undefined)?.['x-value']
}

/** The schemas that a value may have, without references. */
function formsOf(schema: Schema | undefined, schemas: Schemas): Schema[] {
  if (!schema) return []
  if (schema.$ref) return formsOf(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas)
  return schema.oneOf ? schema.oneOf.flatMap((one) => formsOf(one, schemas)) : [schema]
}

/** Parameters of lists that say where a page is by themselves. */
const INSTEAD_OF_CURSOR = ['page', 'name', 'address']

/** The link from a page of a list to the next one, which is requested with all that this one was requested with. */
function nextPage({ operationId, parameters = [] }: Operation, status: string): [string, Link][] {
  if (status !== '200' || !parameters.some(({ name }) => name === 'cursor')) return []
  const passed = parameters.filter((one) => one.in !== 'header' && !INSTEAD_OF_CURSOR.includes(one.name))
  const expressions = passed.map((one) => [
    one.name,
    one.name === 'cursor' ? '$response.body#/cursor' : `$request.${one.in}.${one.name}`,
  ])
  return [['nextPage', { operationId, description: 'The next page.', parameters: Object.fromEntries(expressions) }]]
}
