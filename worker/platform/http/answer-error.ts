import type { Context } from 'hono'
import { ConfigurationError } from '../config/config.ts'
import { errorPage, isForPerson } from './error-page.ts'
import { AppError, unavailable } from './errors.ts'

/** The form of Cloudflare's id of a request; elsewhere a client may send any text in that header. */
const RAY = /^[0-9a-f]{16}(?:-[A-Z]{3})?$/

/**
 * The answer for an error: JSON, or a page for a person who opened the address. No other code makes one. An error of
 * the service itself is logged with the `X-Request-Id` of its answer, which is Cloudflare's `CF-Ray` where there is one.
 */
export async function answerError(error: unknown, c: Context): Promise<Response> {
  const ray = c.req.header('CF-Ray') ?? ''
  const requestId = RAY.test(ray) ? ray : crypto.randomUUID()
  const refusal = asAppError(error, requestId)
  const { status, code, message, details, cause } = refusal
  if (cause !== undefined) console.error(code, cause, requestId)
  const headers = status < 500 ? refusal.headers : { ...refusal.headers, 'X-Request-Id': requestId }
  if (isForPerson(c.req.raw)) return errorPage({ status, code, message, headers })
  return c.json({ message, code, ...details }, status, headers)
}

/** The error as a client may see it: an {@link AppError} itself, any other without its reason, which is logged. */
export function asAppError(error: unknown, requestId = ''): AppError {
  if (error instanceof AppError) return error
  if (error instanceof ConfigurationError) {
    const message = 'This service is not configured correctly. Its operator finds the reason in the log.'
    return unavailable('not_configured', message, { retryAfter: 60 })
  }
  console.error('unexpected_error', error, requestId)
  // Of SQLite, which is the storage on a machine of one's own.
  if (String(error).includes('SQLITE_FULL')) {
    return unavailable('storage_full', 'The disk of this service is full. Try again later.', { retryAfter: 60 })
  }
  if (isStorageFailure(error)) {
    return unavailable(
      'storage_unavailable',
      "This service's storage does not answer right now. Try again in a few seconds.",
    )
  }
  return new AppError(500, 'internal_error', 'An unexpected error occurred and has been logged. Try again later.')
}

// D1 and R2 have no error classes; their messages begin with these.
function isStorageFailure(error: unknown): boolean {
  return (
    error instanceof Error && /^(D1_|D1 |R2|put:|get:|head:|list:|delete:|Network connection lost)/.test(error.message)
  )
}
