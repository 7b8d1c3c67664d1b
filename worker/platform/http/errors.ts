import type { CodeOf, ErrorCode, StatusOf } from '../../../contract/error-codes.ts'
import { COUNTED_LIMITS, isCounted, rateLimitLeft, rateLimitPolicy } from './rate-limits.ts'

/** An error for the client: a status, a stable code for programs, a sentence for people. */
export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = 'AppError'
  readonly status: StatusOf<Code>
  readonly code: Code
  readonly headers: Record<string, string>
  /** Further fields of the answer's body, beside `message` and `code`. */
  readonly details: Record<string, unknown>

  constructor(
    status: StatusOf<Code>,
    code: Code,
    message: string,
    options: { headers?: Record<string, string>; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}

/** 400 for one field of the request; `problem` continues a sentence that begins with its name. */
export function invalidField(field: string, problem: string): AppError {
  return new AppError(400, 'invalid_field', `${field} ${problem}`)
}

/** 400 for a `cursor` that no page returned. */
export function invalidCursor(): AppError {
  return invalidField('cursor', 'must be one that an earlier page returned.')
}

/** 404 with a message; retrieval's 404 has no body and does not use this. */
export function notFound(message: string): AppError {
  return new AppError(404, 'not_found', message)
}

/** 404 for a path of a host other than the API's. */
export function noSuchPath(): AppError {
  return notFound('There is nothing at this address.')
}

/** 503 with `Retry-After`. */
export function unavailable(
  code: CodeOf<503>,
  message: string,
  options: { retryAfter?: number; cause?: unknown } = {},
): AppError {
  return new AppError<CodeOf<503>>(503, code, message, {
    headers: { 'Retry-After': String(options.retryAfter ?? 5) },
    cause: options.cause,
  })
}

/** 429 with `Retry-After`, in seconds, and the headers of the limit that is used up. */
export function tooManyRequests(
  retryAfter: number,
  message = 'Too many requests. Try again a little later.',
  limit = 'requests',
) {
  const headers = {
    'Retry-After': String(retryAfter),
    RateLimit: rateLimitLeft(limit, 0, retryAfter),
    ...(isCounted(limit) ? { 'RateLimit-Policy': rateLimitPolicy(limit, COUNTED_LIMITS[limit]) } : {}),
  }
  return new AppError(429, 'too_many_requests', message, { headers })
}
