import { EXIT, type ExitCode } from './exit-codes.ts'

/** Details of a failure besides its sentence. */
export interface ErrorDetails {
  /** What to do about it, as a sentence. */
  hint?: string
  requestId?: string
  /** Seconds until another attempt makes sense. */
  retryAfter?: number
  /** All problems if there are several: one sentence each. */
  problems?: string[]
  cause?: unknown
}

/** A failure with a stable `code` for programs, a sentence for people, and the exit code of the process. */
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

/** An invalid command line; nothing has been sent. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message, hint === undefined ? {} : { hint })
}
