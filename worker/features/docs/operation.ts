import { BARE_KEY } from '../auth/idempotency/parse-key.ts'

/** The parts of OpenAPI 3.1 that this description uses (https://spec.openapis.org/oas/v3.1.1). */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  pattern?: string
  enum?: readonly (string | number)[]
  const?: unknown
  default?: unknown
  example?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  oneOf?: readonly Schema[]
  additionalProperties?: Schema | boolean
}

export interface Media {
  schema?: Schema
  example?: unknown
}

/** Another operation that takes something of an answer, by runtime expressions (OpenAPI 3.1, Link Object). */
export interface Link {
  operationId: string
  description: string
  parameters?: Record<string, unknown>
  requestBody?: Record<string, unknown>
}

export interface Header {
  description: string
  schema: Schema
}

/** A header that the description has once for many answers. */
export interface HeaderRef {
  $ref: string
}

export interface Answer {
  description: string
  headers?: Record<string, Header | HeaderRef>
  content?: Record<string, Media>
  links?: Readonly<Record<string, Link>>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: Schema
}

export interface RequestBody {
  required: boolean
  content: Record<string, Media>
}

export interface Operation {
  tags: readonly [string]
  /** Names the operation for clients that are made from the description; unique, stable. */
  operationId: string
  summary: string
  description?: string
  /** The permissions that the access token needs, the scopes that an API key needs one of; no member: no token. */
  security?: readonly { accessToken?: readonly string[]; apiKey?: readonly string[] }[]
  parameters?: readonly Parameter[]
  requestBody?: RequestBody
  responses: Record<string, Answer>
}

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]
export type Paths = Record<string, Partial<Record<Method, Operation>>>

/** Needs an access token, and with it the permission, if one is named. */
export function token(...permissions: string[]): readonly { accessToken: readonly string[] }[] {
  return [{ accessToken: permissions }]
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object all of whose properties are there, but those in `optional`. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) }
}

/** An answer with a JSON body. */
export function json(description: string, schema: Schema, example?: unknown): Answer {
  return { description, content: { 'application/json': example === undefined ? { schema } : { schema, example } } }
}

/** An answer, or a request's body, in other media types. */
export function content(description: string, ...types: string[]): Answer {
  return { description, content: Object.fromEntries(types.map((type) => [type, {}])) }
}

/** An answer without a body. */
export const empty = (description: string): Answer => ({ description })

/** A refusal with `message` and `code`. */
export const refusal = (description: string): Answer => json(description, ref('Problem'))

/** The answers to GET and HEAD of content that keeps: whole, in part, unchanged, or refused for its range. */
export function readable(whole: Answer): Record<string, Answer> {
  return {
    '200': whole,
    '206': { ...whole, description: 'The part that `Range` asks for.' },
    '304': empty('Not modified: `If-None-Match` names it.'),
    '416': refusal('The range lies outside.'),
  }
}

export function jsonBody(schema: Schema, example?: unknown): RequestBody {
  return { required: true, content: { 'application/json': example === undefined ? { schema } : { schema, example } } }
}

export function inPath(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'path', required: true, description, schema }
}

export function inQuery(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'query', description, schema }
}

export function inHeader(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'header', description, schema }
}

/** The parameter of a list that goes on behind an earlier page. */
export const FROM_CURSOR = inQuery('cursor', 'From an earlier page.')

export const CURSOR: Schema = { type: 'string', description: 'Goes on behind this page; absent on the last.' }

/** One page of a list: its rows under `name`, and the cursor behind it. */
export function pageSchema(name: string, schema: string): Schema {
  return object({ [name]: { type: 'array', items: ref(schema) }, cursor: CURSOR }, ['cursor'])
}

/** The answer that is one page of a list. */
export function page(description: string, name: string, schema: string): Answer {
  return json(description, pageSchema(name, schema))
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Of your choice, up to 128 characters. The same request with the same key, within 24 hours, gets the answer of the first one, with `Idempotent-Replayed: true`, and does nothing. With another request: 422. While the first is running: 409.',
  schema: { type: 'string', pattern: BARE_KEY },
}

/** An operation that takes an `Idempotency-Key`. */
export function idempotent(operation: Operation): Operation {
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []), IDEMPOTENCY_KEY],
    responses: {
      ...common('400'),
      '409': refusal('The first request with this `Idempotency-Key` is still running.'),
      '422': refusal('The `Idempotency-Key` was sent with another request.'),
      ...operation.responses,
    },
  }
}

const COMMON: Record<string, Answer> = {
  '400': refusal('A field is missing, of the wrong type or out of range; the message names it.'),
  '401': refusal(
    'The access token is missing, malformed, expired or no longer valid. With `WWW-Authenticate: Bearer`.',
  ),
  '403': refusal('The token lacks the permission.'),
  '404': refusal("There is no such thing, or it is somebody else's."),
  '413': refusal('The body is larger than the limit.'),
  '415': refusal('The body is not sent as the media type that is due.'),
  '422': refusal('The content is larger than this service handles.'),
  '429': refusal('Too many requests. `Retry-After` says when to come again, `RateLimit` which limit is used up.'),
  '451': refusal('This content is on the denylist.'),
  '502': refusal('A node or gateway gave a bad answer.'),
  '503': refusal('A part of this service is not available right now. `Retry-After` says when to come again.'),
  '504': refusal('No node or gateway answered in time.'),
}

/** The answers that many operations share, by status. */
export function common(...statuses: (keyof typeof COMMON & string)[]): Record<string, Answer> {
  return Object.fromEntries(
    [...statuses, '429', '503'].flatMap((status) => {
      const answer = COMMON[status]
      return answer ? [[status, answer]] : []
    }),
  )
}

/** What every operation with a JSON body and a token with a permission may refuse with. */
export const TOKEN_AND_BODY = ['400', '401', '403', '413', '415'] as const
