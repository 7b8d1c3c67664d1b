import { EXIT, type ExitCode } from './exit-codes.ts'

/** What a failure says beside its sentence. */
export interface ErrorDetails {
  /** What to do about it; a sentence of its own. */
  hint?: string
  requestId?: string
  /** Seconds until another try makes sense. */
  retryAfter?: number
  /** Where several things are wrong at once: one sentence each. */
  problems?: string[]
  cause?: unknown
}

/** A failure that a person can act on: a stable `code` for programs, a sentence, and the exit code that it ends with. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: ExitCode
  readonly code: string
  readonly details: ErrorDetails

  constructor(exitCode: ExitCode, code: string, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.exitCode = exitCode
    this.code = code
    this.details = details
  }
}

/** A wrong command line; nothing has been sent. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message, hint === undefined ? {} : { hint })
}
