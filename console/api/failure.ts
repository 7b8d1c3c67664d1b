import { ApiError, HooklineError } from '../../client/http/api-error.ts'
import { errorSentence } from '../texts/errors.ts'

/** The error for the views; a fault of the console itself if it is no {@link HooklineError}. */
export function asFailure(thrown: unknown): HooklineError {
  return thrown instanceof HooklineError ? thrown : new HooklineError('console_fault', String(thrown))
}

/** Codes of failures without a response of the service. */
const UNANSWERED = new Set(['network', 'timeout', 'console_fault'])

export function isUnanswered({ code }: Pick<HooklineError, 'code'>): boolean {
  return UNANSWERED.has(code)
}

/** The sentence for an error, of the reader's language or else the service's; empty if the console has to describe it. */
export function sentenceOf(error: HooklineError): string {
  if (isUnanswered(error)) return ''
  return errorSentence(error.code, error instanceof ApiError ? error.said : error.message)
}

/** The fields of an error that can be stored. */
export function problemOf(thrown: unknown): Pick<HooklineError, 'status' | 'code' | 'message'> {
  const failure = asFailure(thrown)
  return { status: failure.status, code: failure.code, message: sentenceOf(failure) }
}

/** Whether the same request may succeed later without any change. */
export function mayHelpAgain({ status }: Pick<HooklineError, 'status'>): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}

/** Seconds that the service asks to wait; 0 if it does not. */
export function retryAfterOf(error: HooklineError): number {
  return (error instanceof ApiError && error.retryAfter) || 0
}
