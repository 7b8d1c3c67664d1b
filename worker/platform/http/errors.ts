import type { CodeOf, ErrorCode, StatusOf } from '../../../contract/error-codes.ts'
import { COUNTED_LIMITS, isCounted, rateLimitLeft, rateLimitPolicy } from './rate-limits.ts'

/** A refusal that reaches the caller: a status, a stable code for programs, a sentence for people. */
export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = 'AppError'
  readonly status: StatusOf<Code>
  readonly code: Code
  readonly headers: Record<string, string>
  /** Fields that the answer's body has beside `message` and `code`. */
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

/** 400 for one field of the request; `problem` reads on from the field's name. */
export function invalidField(field: string, problem: string): AppError {
  return new AppError(400, 'invalid_field', `${field} ${problem}`)
}

/** 400 for a `cursor` that no page gave. */
export function invalidCursor(): AppError {
  return invalidField('cursor', 'must be one that an earlier page returned.')
}

/** 404 with a message; retrieval's 404 has no body and does not use this. */
export function notFound(message: string): AppError {
  return new AppError(404, 'not_found', message)
}

/** 404 of a host that has no more to say than that. */
export function noSuchPath(): AppError {
  return notFound('There is nothing at this address.')
}

/** 503 that says when to come again. */
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

/** 429 that says when to come again, in seconds, and which limit is used up. */
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
