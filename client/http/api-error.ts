import type { Json } from '../types.ts'
import type { ErrorCode } from './error-codes.ts'

/** Every error of this library: `code` is stable for programs, `message` is for people. */
export class HooklineError extends Error {
  override name = 'HooklineError'
  readonly code: ErrorCode
  /** The HTTP status; 0 if the error is not about a response. */
  readonly status: number = 0

  /** @internal */
  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export interface ApiErrorFacts {
  status: number
  code: ErrorCode
  /** The service's own sentence, if its response had one. */
  message?: string | undefined
  method: string
  /** Path of the API, without the host. */
  path: string
  requestId?: string | undefined
  retryAfter?: number | undefined
  details?: { readonly [name: string]: Json }
}

/** A response that is an error, with its own status, code and sentence. */
export class ApiError extends HooklineError {
  override name = 'ApiError'
  override readonly status: number
  readonly method: string
  readonly path: string
  /** The service's own sentence; empty if the response had none. `message` then describes the error. */
  readonly said: string
  /** Identifies the request in the service's logs, if the response named it. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt (`Retry-After`). */
  readonly retryAfter: number | undefined
  /** Other fields of the response: `missing`, `limit`, `used` … */
  readonly details: { readonly [name: string]: Json }

  constructor({ status, code, message = '', method, path, requestId, retryAfter, details = {} }: ApiErrorFacts) {
    super(code, message || `${requestName({ method, path })} was answered with status ${status}.`)
    this.said = message
    this.status = status
    this.method = method
    this.path = path
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.details = details
  }
}

/**
 * Whether the service has rejected a request that has an idempotency key, and no earlier try of it can still be done: only then may
 * the same be sent with another key. Pure.
 * @internal
 */
export function isRejected(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  const { status, code } = error
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status) && code !== 'request_running'
}

/** Method and path of a request, for messages. */
export function requestName({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.length > 120 ? `${path.slice(0, 119)}…` : path}`
}
