import { HookError } from './hook-error.ts'

interface Violation {
  directive: string
  blocked: string
}

const seen: Violation[] = []

/** Records CSP violations of the page, so that an error can name the directive. */
export function watchPolicy(): void {
  // On window, because named elements can hide methods of `document`. The event bubbles to it.
  addEventListener('securitypolicyviolation', ({ disposition, effectiveDirective, blockedURI }) => {
    if (disposition === 'enforce') seen.push({ directive: effectiveDirective, blocked: blockedURI })
    if (seen.length > 100) seen.shift()
  })
}

/** Browsers report a `blob:` URL by its scheme only, and violations without a URL by a keyword such as `wasm-eval`. */
function concerns(blocked: string, url: string): boolean {
  return blocked !== '' && (blocked === url || url.startsWith(blocked.startsWith('blob') ? 'blob:' : blocked))
}

/**
 * The error to report for a failed use of `url`: the CSP violation if one of a directive that begins with `directive`
 * was recorded, else `error`.
 */
export async function explainRefusal(error: unknown, url: string, directive: string): Promise<unknown> {
  // The browser reports a violation in a later task than the failure.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const violation = seen.findLast((one) => one.directive.startsWith(directive) && concerns(one.blocked, url))
  if (!violation) return error
  return refusedByPolicy(violation.directive, url.startsWith('blob:') ? 'blob:' : url, error)
}

/** The error where the page's policy refuses `what`. The policy may refuse the part too that has longer sentences. */
export function refusedByPolicy(directive: string, what: string, cause: unknown): HookError {
  return new HookError('refused_by_policy', `${directive} of this page refuses ${what}.`, cause, directive)
}
