import createClient from 'openapi-fetch'
import { accessToken, renewAccess, sessionEnded } from '../session/access.ts'
import { ApiError, refusalOf } from './api-error.ts'
import { exactJson } from './exact-json.ts'
import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']

/** A request without an answer is given up after so many ms. */
const TIMEOUT_MS = 60_000

/** The API of the host that serves the console, typed by its description. Calls go through `call`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchSigned })

/**
 * The body of a call's answer. @throws {ApiError} for every refusal, and where no answer came.
 */
export async function call<Data>(
  pending: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await pending.catch((cause) => {
    throw cause instanceof ApiError ? cause : new ApiError(0, 'offline', '', { cause })
  })
  if (!response.ok) throw refusalOf(response, error)
  if (data === undefined || data === null) throw new ApiError(response.status, 'empty_answer', '')
  return data
}

/** For calls whose answer has no body. @throws {ApiError} */
export async function callEmpty(pending: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await pending.catch((cause) => {
    throw cause instanceof ApiError ? cause : new ApiError(0, 'offline', '', { cause })
  })
  if (!response.ok) throw refusalOf(response, error)
}

/** Sends `request` with a live access token, once more with a new one after a 401. */
export async function fetchSigned(request: Request): Promise<Response> {
  const again = request.clone()
  const token = await accessToken()
  const first = await send(request, token)
  if (first.status !== 401 || token === undefined) return exact(first)
  const renewed = await renewAccess(token)
  if (renewed === undefined) {
    sessionEnded()
    return exact(first)
  }
  return exact(await send(again, renewed))
}

function send(request: Request, token: string | undefined): Promise<Response> {
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)])
  return fetch(request, { signal, credentials: 'omit', referrerPolicy: 'same-origin' })
}

async function exact(response: Response): Promise<Response> {
  const type = response.headers.get('Content-Type') ?? ''
  // An answer that has no body (RFC 9110, 15.3.5) cannot be made anew with one.
  if (!type.startsWith('application/json') || response.status === 204) return response
  const { status, headers } = response
  return new Response(exactJson(await response.text()), { status, headers: new Headers(headers) })
}
