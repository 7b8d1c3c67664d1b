import { dereference, type Schema as JsonSchema, validate } from '@cfworker/json-schema'
import type { Operation, Schema } from '../../worker/features/docs/openapi.ts'
import { openapiDocument } from '../../worker/features/docs/openapi-document.ts'

const { paths, components } = openapiDocument(new URL('https://api.example'))

/** Headers by which answers tell of limits: each answer that has one is described with it. */
const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit', 'Retry-After']

/** Paths of the description, the ones with fewer parameters first: `/v0/item/counts` is not an id. */
const templates = Object.entries(paths)
  .map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(
      `^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.+' : '[^/]+'))}$`,
    ),
  }))
  .sort((a, b) => a.template.split('{').length - b.template.split('{').length)

/** Each schema of an answer in JSON, by a name of its own: resolved together, since each leads to many of the shared ones. */
const names = new Map<Schema, string>()
for (const { operations } of templates) {
  for (const { responses } of Object.values(operations)) {
    for (const { content } of Object.values(responses)) {
      const schema = content?.['application/json']?.schema
      if (schema && !names.has(schema)) names.set(schema, `answer${names.size}`)
    }
  }
}
const named = Object.fromEntries(Array.from(names, ([schema, name]) => [name, schema]))
const definitions: { $defs: Record<string, JsonSchema> } = JSON.parse(JSON.stringify({ $defs: named, components }))
const lookup = dereference(definitions)

/** Holds a value against one of these schemas. */
function check(value: unknown, schema: Schema) {
  const definition = definitions.$defs[names.get(schema) ?? '']
  if (!definition) throw new Error('It is the schema of no answer.')
  return validate(value, definition, '2020-12', lookup, false)
}

/** The operation of the description that a request is for. */
function operationOf(method: string, pathname: string): Operation | undefined {
  const found = templates.find(({ pattern }) => pattern.test(pathname))
  return found && Object.entries(found.operations).find(([name]) => name === method.toLowerCase())?.[1]
}

/** An answer of the API: to which request, and its body as text where it is JSON. */
interface Answered {
  method: string
  pathname: string
  status: number
  headers: Headers
  body: string
}

/** What the description of the API does not say of an answer; `undefined` where there is nothing to complain of. */
function complaintOf({ method, pathname, status, headers, body }: Answered): string | undefined {
  const operation = operationOf(method, pathname)
  if (!operation) return undefined
  const answer = operation.responses[String(status)]
  // A part of the service that tests break on purpose may fail anywhere.
  if (!answer) return status === 405 || status === 500 ? undefined : 'has no such status'
  const untold = LIMIT_HEADERS.find((name) => headers.has(name) && !answer.headers?.[name])
  if (untold) return `has no header ${untold} there`
  const type = headers.get('Content-Type')?.split(';')[0]
  const schema = type === 'application/json' ? answer.content?.[type]?.schema : undefined
  if (!schema || method === 'HEAD' || body === '') return undefined
  const { valid, errors } = check(JSON.parse(body), schema)
  return valid
    ? undefined
    : `does not match: ${errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join('; ')}`
}

/** Throws where the description of the API does not say that a request is answered so. A path that it does not name may be anything. */
export function holdToDescription(answered: Answered): void {
  const complaint = complaintOf(answered)
  if (complaint === undefined) return
  throw new Error(`${answered.method} ${answered.pathname} answers ${answered.status}: the description ${complaint}.`)
}
