import { ReaderError, type ReaderErrorCode } from '../reader/reader-error.ts'

/**
 * The reason why an element was not filled. `directive` names the CSP directive that blocked it. The message of an error of
 * hook.js itself is short, until lazy/explain-error.ts has put it into a sentence.
 */
export class HookError extends ReaderError {
  override name = 'HookError'
  readonly directive: string | undefined

  constructor(code: ReaderErrorCode, message: string, cause?: unknown, directive?: string) {
    super(code, message, cause)
    this.directive = directive
  }
}
