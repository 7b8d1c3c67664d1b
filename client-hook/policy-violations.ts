import { HookError } from './hook-error.ts'

interface Violation {
  directive: string
  blocked: string
}

const seen: Violation[] = []

/** Remembers what the page's policy refuses, so that a failure can name the directive. */
export function watchPolicy(): void {
  // On window, where the event bubbles to: `document` may have its methods hidden by named elements.
  addEventListener('securitypolicyviolation', ({ disposition, effectiveDirective, blockedURI }) => {
    if (disposition === 'enforce') seen.push({ directive: effectiveDirective, blocked: blockedURI })
    if (seen.length > 100) seen.shift()
  })
}

/** Browsers name a `blob:` URL by its scheme only, and what is no URL by a keyword such as `wasm-eval`. */
function concerns(blocked: string, url: string): boolean {
  return blocked !== '' && (blocked === url || url.startsWith(blocked.startsWith('blob') ? 'blob:' : blocked))
}

/**
 * The error to report for a failed use of `url`: the policy's refusal, where one of a directive that begins with
 * `directive` was seen, and `error` otherwise.
 */
export async function explainRefusal(error: unknown, url: string, directive: string): Promise<unknown> {
  // The report of a violation is a task of its own, behind the failure.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const violation = seen.findLast((one) => one.directive.startsWith(directive) && concerns(one.blocked, url))
  if (!violation) return error
  const what = url.startsWith('blob:') ? 'blob:' : url
  const message = `The page's Content-Security-Policy refuses ${what} in ${violation.directive}.`
  return new HookError('refused_by_policy', message, error, violation.directive)
}
