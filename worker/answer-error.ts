import type { Context } from 'hono'
import { ConfigurationError } from './bindings.ts'
import { AppError } from './errors.ts'

/** The one place that turns an error into an answer. */
export function answerError(error: unknown, c: Context): Response {
  if (error instanceof AppError) {
    if (error.cause !== undefined) console.error(error.code, error.cause)
    return c.json({ message: error.message, code: error.code, ...error.details }, error.status, error.headers)
  }
  if (error instanceof ConfigurationError) {
    const message = 'This service is not configured. Its operator finds the reason in the log.'
    return c.json({ message, code: 'not_configured' }, 503, { 'Retry-After': '60' })
  }
  console.error(error)
  if (isStorageFailure(error)) {
    const message = 'The storage of this service does not answer right now. Try again in a few seconds.'
    return c.json({ message, code: 'storage_unavailable' }, 503, { 'Retry-After': '5' })
  }
  return c.json({ message: 'Something failed here. It has been logged.', code: 'internal_error' }, 500)
}

// D1 and R2 have no error classes; these are the beginnings of what they throw.
function isStorageFailure(error: unknown): boolean {
  return (
    error instanceof Error && /^(D1_|D1 |R2|put:|get:|head:|list:|delete:|Network connection lost)/.test(error.message)
  )
}
