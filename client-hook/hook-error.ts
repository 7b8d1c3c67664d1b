import { ReaderError } from '../reader/reader-error.ts'

/** Why an element was not filled. `directive` names the rule of the page's policy that refused. */
export class HookError extends ReaderError {
  override name = 'HookError'
  readonly directive: string | undefined

  constructor(code: string, message: string, cause?: unknown, directive?: string) {
    super(code, message, cause)
    this.directive = directive
  }
}
