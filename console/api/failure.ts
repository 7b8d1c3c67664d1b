import { ApiError, HooklineError } from '../../client/http/api-error.ts'

/** What was thrown, as the views show it: a fault of the console itself where it is no {@link HooklineError}. */
export function asFailure(thrown: unknown): HooklineError {
  return thrown instanceof HooklineError ? thrown : new HooklineError('console_fault', String(thrown))
}

/** Codes of failures in which the service has no part, as far as anybody knows. */
const UNANSWERED = new Set(['network', 'timeout', 'console_fault'])

export function isUnanswered({ code }: Pick<HooklineError, 'code'>): boolean {
  return UNANSWERED.has(code)
}

/** The sentence that a failure comes with; empty where the console has to say what it means. */
export function sentenceOf(error: HooklineError): string {
  if (isUnanswered(error)) return ''
  return error instanceof ApiError ? error.said : error.message
}

/** The parts of what was thrown that can be kept. */
export function problemOf(thrown: unknown): Pick<HooklineError, 'status' | 'code' | 'message'> {
  const failure = asFailure(thrown)
  return { status: failure.status, code: failure.code, message: sentenceOf(failure) }
}

/** Whether the same request may succeed later without anybody changing anything. */
export function mayHelpAgain({ status }: Pick<HooklineError, 'status'>): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}

/** Seconds that the service asks to wait; 0 where it does not. */
export function retryAfterOf(error: HooklineError): number {
  return (error instanceof ApiError && error.retryAfter) || 0
}
