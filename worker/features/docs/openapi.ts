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
  /** Which value it holds, of those that one operation answers and another one takes. */
  'x-value'?: string
}

export interface Media {
  schema?: Schema
  example?: unknown
}

/** Another operation that uses something of an answer, by runtime expressions (OpenAPI 3.1, Link Object). */
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

interface RequestBody {
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
type Method = (typeof METHODS)[number]
export type Paths = Record<string, Partial<Record<Method, Operation>>>

/** The description with each operation changed by `change`. */
export function mapOperations(paths: Paths, change: (operation: Operation, path: string) => Operation): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, change(operation, path)])),
    ]),
  )
}
