import { type ConversionConfig, toJsonSchemaDefs } from '@valibot/to-json-schema'
import { pipe } from 'valibot'
import type { Answer as ContractAnswer, Operations, Parameters } from '../../../contract/operation.ts'
import type { Schema as ContractSchema } from '../../../contract/schema.ts'
import { commonAnswers, idempotent, refusal } from './common-answers.ts'
import type { Answer, Header, Operation, Parameter, Paths, Schema } from './openapi.ts'

/** The description of operations, and the schemas that they refer to, by name. */
export interface Description {
  paths: Paths
  schemas: Record<string, Schema>
}

/** Operations of the contract as OpenAPI has them; `named` are the schemas that have a place of their own. */
export function describeOperations(
  operations: Operations,
  named: Readonly<Record<string, ContractSchema>>,
): Description {
  const schemas = convert(operations, named)
  const paths: Paths = {}
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, schemas.of) }
  }
  return { paths, schemas: schemas.named }
}

/** What these modules export of schemas under a name such as `Item`: the description has them by that name, but parameters. */
export function namedSchemas(...modules: readonly object[]): Record<string, ContractSchema> {
  const exported = modules.flatMap((module) => Object.entries<unknown>({ ...module }))
  return Object.fromEntries(exported.filter((entry): entry is [string, ContractSchema] => isNamed(entry)))
}

function isNamed([name, value]: [string, unknown]): boolean {
  return (
    /^[A-Z][a-z]/.test(name) &&
    !/(Query|Path)$/.test(name) &&
    typeof value === 'object' &&
    value !== null &&
    'kind' in value
  )
}

type SchemaOf = (schema: ContractSchema) => Schema

function describe(operation: Operations[string], schemaOf: SchemaOf): Operation {
  const {
    id,
    tag,
    summary,
    description,
    token,
    keys = [],
    path,
    query,
    headers,
    body,
    example,
    answers,
    refuses = [],
  } = operation
  const parameters = [
    ...parametersOf('path', path, schemaOf),
    ...parametersOf('query', query, schemaOf),
    ...parametersOf('header', headers, schemaOf),
  ]
  const isJson = body !== undefined && !('types' in body)
  const refused = [
    ...(token === undefined ? [] : [401, 403]),
    ...(isJson ? [400, 413, 415] : query ? [400] : []),
    ...(path && 'id' in path ? [404] : []),
    ...refuses,
  ]
  const described: Operation = {
    tags: [tag],
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(token !== undefined && {
      // An operation that accepts an API key names each scope that suffices; the others that need a token refuse keys.
      security: [{ accessToken: token === true ? [] : [token] }, ...keys.map((scope) => ({ apiKey: [scope] }))],
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: bodyOf(body, example, schemaOf) }),
    responses: {
      ...commonAnswers(...refused.map(String)),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, answerOf(Number(status), answer, schemaOf)]),
      ),
    },
  }
  return operation.idempotent ? idempotent(described, operation.idempotent === 'required') : described
}

function bodyOf(body: NonNullable<Operations[string]['body']>, example: unknown, schemaOf: SchemaOf) {
  const media = (schema: ContractSchema) => ({ schema: schemaOf(schema), ...(example !== undefined && { example }) })
  if (!('types' in body)) return { required: true, content: { 'application/json': media(body) } }
  const content = Object.entries(body.types).map(([type, schema]) => [type, media(schema)])
  return { required: body.required, content: Object.fromEntries(content) }
}

function answerOf(status: number, answer: string | ContractAnswer, schemaOf: SchemaOf): Answer {
  if (typeof answer === 'string') return status < 400 ? { description: answer } : refusal(answer)
  const { description, schema, types = schema ? ['application/json'] : [], headers, example } = answer
  const media = { ...(schema && { schema: schemaOf(schema) }), ...(example !== undefined && { example }) }
  return {
    description,
    ...(headers && { headers: Object.fromEntries(parametersOf('header', headers, schemaOf).map(headerOf)) }),
    ...(types.length > 0 && {
      content: Object.fromEntries(types.map((type) => [type, type === 'text/csv' ? {} : media])),
    }),
  }
}

const headerOf = ({ name, description, schema }: Parameter): [string, Header] => [name, { description, schema }]

function parametersOf(place: Parameter['in'], parameters: Parameters | undefined, schemaOf: SchemaOf): Parameter[] {
  return Object.entries(parameters ?? {}).map(([name, own]) => {
    const { description = '', ...schema } = schemaOf(own)
    return { name, in: place, ...(own.type !== 'optional' && { required: true }), description, schema }
  })
}

/** All schemas at once, so that each named one is converted once and referred to everywhere else. */
function convert(operations: Operations, named: Readonly<Record<string, ContractSchema>>) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))
  const own = new Map<ContractSchema, string>()
  for (const schema of schemasOf(operations)) {
    if (!names.has(schema) && !own.has(schema)) own.set(schema, `#${own.size}`)
  }
  // In a pipe of its own, so that nothing refers to it.
  const definitions = { ...named, ...Object.fromEntries(Array.from(own, ([schema, name]) => [name, pipe(schema)])) }
  const converted: Record<string, Schema> = JSON.parse(JSON.stringify(toJsonSchemaDefs(definitions, CONVERSION)))
  return {
    named: Object.fromEntries(Object.keys(named).map((name) => [name, converted[name] ?? {}])),
    of(schema: ContractSchema): Schema {
      const name = names.get(schema)
      return name === undefined ? (converted[own.get(schema) ?? ''] ?? {}) : { $ref: `#/components/schemas/${name}` }
    },
  }
}

function schemasOf(operations: Operations): ContractSchema[] {
  return Object.values(operations).flatMap(({ path, query, headers, body, answers }) => [
    ...[path, query, headers].flatMap((parameters) => Object.values(parameters ?? {})),
    ...(body ? ('types' in body ? Object.values(body.types) : [body]) : []),
    ...Object.values(answers).flatMap((answer) =>
      typeof answer === 'string'
        ? []
        : [...(answer.schema ? [answer.schema] : []), ...Object.values(answer.headers ?? {})],
    ),
  ])
}

const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // What a function checks is described by the keywords that stand beside it.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema({ valibotSchema: { type }, jsonSchema }) {
    const { anyOf, propertyNames, ...rest } = jsonSchema
    if (type === 'record') return rest
    if (!anyOf) return undefined
    const [inner] = anyOf
    if (type !== 'union' && typeof inner === 'object' && typeof inner.type === 'string' && !inner.enum) {
      return { ...rest, ...inner, type: [inner.type, 'null'] }
    }
    return { ...rest, oneOf: anyOf }
  },
}
