import { ReaderError, type ReaderErrorCode } from '../../reader/reader-error.ts'
import type { PartTools } from '../part-tools.ts'

/** The code of an error of ours; '' for any other. Each part of the helper has its own copy of the error classes. */
export function codeOf(error: unknown): string {
  const ours = error instanceof Error && (error.name === 'HookError' || error.name === 'ReaderError')
  return ours && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Our codes for errors of Helia and of the exporter. */
const CODES: Record<string, ReaderErrorCode> = {
  InvalidMultihashError: 'not_verified',
  LoadBlockFailedError: 'not_found',
  NotFoundError: 'not_found',
  NotUnixFSError: 'invalid_dag',
  OverReadError: 'invalid_dag',
  UnderReadError: 'invalid_dag',
}

/** The error to report: our own, even if Helia wrapped it, or our code for Helia's error. */
export function explain(error: unknown, { fail }: Pick<PartTools, 'fail'>): unknown {
  for (let one = error; one instanceof Error; one = one instanceof AggregateError ? one.errors[0] : one.cause) {
    if (one instanceof ReaderError)
      return fail(one.code === 'invalid_source' ? 'invalid_element' : one.code, one.message, one)
    // Errors of the helper itself need no explanation.
    if (codeOf(one)) return one
  }
  const code = error instanceof Error ? CODES[error.name] : undefined
  return code && error instanceof Error ? fail(code, error.message, error) : error
}
