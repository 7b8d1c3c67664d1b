import type { Json } from '../types.ts'
import type { ErrorCode } from './error-codes.ts'

/** Thrown for everything that fails on the way: `code` is stable for programs, `message` is for people. */
export class HooklineError extends Error {
  override name = 'HooklineError'
  readonly code: ErrorCode
  /** Of the answer; 0 where it is not about one. */
  readonly status: number = 0

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export interface ApiErrorFacts {
  status: number
  code: ErrorCode
  /** The service's own sentence, where its answer had one. */
  message?: string | undefined
  method: string
  /** Path of the API, without its host. */
  path: string
  requestId?: string | undefined
  retryAfter?: number | undefined
  details?: { readonly [name: string]: Json }
}

/** What the API answered instead of what was asked for: with its own status, code and sentence. */
export class ApiError extends HooklineError {
  override name = 'ApiError'
  override readonly status: number
  readonly method: string
  readonly path: string
  /** The service's own sentence; empty where its answer had none, and `message` says what happened. */
  readonly said: string
  /** Names the request in the service's logs, where the answer had one. */
  readonly requestId: string | undefined
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfter: number | undefined
  /** Fields of the answer beside `message` and `code`: `missing`, `limit`, `used` … */
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

/** A request as sentences name it. */
export function requestName({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.length > 120 ? `${path.slice(0, 119)}…` : path}`
}
