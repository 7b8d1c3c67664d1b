import { dereference, type Schema as JsonSchema, validate } from '@cfworker/json-schema'
import type { Operation, Schema } from '../../worker/features/docs/openapi.ts'
import { openapiDocument } from '../../worker/features/docs/openapi-document.ts'
import worker from '../../worker/index.ts'

const API = 'https://api.example'
const { paths, components } = openapiDocument(new URL(API))

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

/** What the description of the API does not say of an answer; `undefined` where there is nothing to complain of. */
async function complaintOf(request: Request, response: Response): Promise<string | undefined> {
  const { pathname } = new URL(request.url)
  const method = request.method.toLowerCase()
  const found = templates.find(({ pattern }) => pattern.test(pathname))
  const operation: Operation | undefined =
    found && Object.entries(found.operations).find(([name]) => name === method)?.[1]
  if (!operation) return undefined
  const answer = operation.responses[String(response.status)]
  // A part of the service that tests break on purpose may fail anywhere.
  if (!answer) return response.status === 405 || response.status === 500 ? undefined : 'has no such status'
  const untold = LIMIT_HEADERS.find((name) => response.headers.has(name) && !answer.headers?.[name])
  if (untold) return `has no header ${untold} there`
  const type = response.headers.get('Content-Type')?.split(';')[0]
  const schema = type === 'application/json' ? answer.content?.[type]?.schema : undefined
  if (!schema || request.method === 'HEAD') return undefined
  const text = await response.clone().text()
  if (text === '') return undefined
  const { valid, errors } = check(JSON.parse(text), schema)
  return valid
    ? undefined
    : `does not match: ${errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join('; ')}`
}

let validating = false

/** Holds every answer that a test gets from the API host against its own description. */
export function validateAnswers(): void {
  if (validating) return
  validating = true
  const { fetch } = worker
  worker.fetch = async (request, env, ctx) => {
    const response = await fetch(request, env, ctx)
    if (!request.url.startsWith(`${API}/`)) return response
    const complaint = await complaintOf(request, response)
    if (complaint === undefined) return response
    throw new Error(`${request.method} ${request.url} answers ${response.status}: the description ${complaint}.`)
  }
}
