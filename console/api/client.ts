import type { MaybeOptionalInit } from 'openapi-fetch'
import { HooklineError } from '../../client/http/api-error.ts'
import { Transport } from '../../client/http/transport.ts'
import { credentials } from '../session/access.ts'
import { options } from './connection.ts'
import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']

/** Sends requests to the API of the host that serves the console, with the credentials of the user. */
export const transport = new Transport(options, credentials)

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type PathWith<Own extends string> = {
  [Path in keyof paths]: paths[Path] extends { [Name in Own]: unknown } ? Path : never
}[keyof paths]

/**
 * Resolves to the body of the response.
 * @throws {HooklineError} for every error response, and if no response arrived
 */
type Call<Own extends Method> = <
  Path extends PathWith<Lowercase<Own>>,
  Init extends MaybeOptionalInit<paths[Path], Lowercase<Own>>,
>(
  path: Path,
  ...init: Partial<Init> extends Init ? [Init?] : [Init]
) => Promise<Answer<paths[Path][Lowercase<Own>]>>

type Answer<Operation> = Operation extends { responses: infer All } ? Bodies<All>[keyof Bodies<All>] : never
type Bodies<All> = {
  [Status in keyof All & (200 | 201 | 202)]: All[Status] extends { content: { 'application/json': infer Body } }
    ? Body
    : never
}

/** Calls by method and path, typed by the API's description. */
export const api = {
  GET: caller('GET'),
  POST: caller('POST'),
  PUT: caller('PUT'),
  PATCH: caller('PATCH'),
  DELETE: caller('DELETE'),
}

interface Init {
  params?: {
    path?: Record<string, string | number>
    query?: Record<string, string | number | undefined>
    header?: { 'Idempotency-Key'?: string }
  }
  body?: object
}

function caller<Own extends Method>(method: Own): Call<Own>
function caller(method: Method): unknown {
  return async (path: string, { params = {}, body: json }: Init = {}): Promise<unknown> => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params.path?.[name] ?? ''))
    const idempotencyKey = params.header?.['Idempotency-Key']
    const { query = {} } = params
    const { status, body } = await transport.send({ method, path: filled, query, json, idempotencyKey })
    // A proxy between the browser and the service answers with pages of its own.
    if (body === undefined && status === 200) throw new HooklineError('empty_answer', '')
    return body
  }
}
