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
  const what = url.startsWith('blob:') ? 'blob:' : url
  const message = `The page's Content-Security-Policy refuses ${what} in ${violation.directive}.`
  return new HookError('refused_by_policy', message, error, violation.directive)
}
