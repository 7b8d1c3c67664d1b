import { Validator } from '@cfworker/json-schema'
import worker from '../../worker/index.ts'
import { openapiDocument } from '../../worker/openapi/openapi-document.ts'
import type { Operation, Schema } from '../../worker/openapi/operation.ts'

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

const validators = new Map<Schema, Validator>()

function validatorOf(schema: Schema): Validator {
  let validator = validators.get(schema)
  if (!validator) {
    const whole: ConstructorParameters<typeof Validator>[0] = JSON.parse(JSON.stringify({ ...schema, components }))
    validator = new Validator(whole, '2020-12', false)
    validators.set(schema, validator)
  }
  return validator
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
  const { valid, errors } = validatorOf(schema).validate(JSON.parse(text))
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
