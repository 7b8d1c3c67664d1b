import { exports } from 'cloudflare:workers'

export interface ApiRequest {
  body?: unknown
  token?: string | undefined
  headers?: Record<string, string>
}

/**
 * Sends a request to the Worker as a client would: `body` as JSON unless it is text or bytes already, `token` as the
 * access token.
 */
export async function fetchApi(method: string, path: string, request: ApiRequest = {}): Promise<Response> {
  const headers = new Headers(request.headers)
  const { body, token } = request
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  return await exports.default.fetch(`https://api.example${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    redirect: 'manual',
  })
}
