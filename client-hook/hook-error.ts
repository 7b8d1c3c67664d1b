/** Why an element was not filled. `directive` names the rule of the page's policy that refused. */
export class HookError extends Error {
  override name = 'HookError'
  readonly code: string
  readonly directive: string | undefined

  constructor(code: string, message: string, options: { cause?: unknown; directive?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.directive = options.directive
  }
}
