import { refusedByPolicy } from './policy-violations.ts'

// The part of Trusted Types that is used; lib.dom lacks them (https://w3c.github.io/trusted-types/).
interface Policy {
  createScriptURL(url: string): string
}
declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy
    }
  }
}

const trusted = new Set<string>()
let policy: Policy | undefined

/**
 * `url` in the form that `require-trusted-types-for 'script'` accepts. The policy passes only URLs from this function:
 * parts of this helper with their hashes, and `blob:` URLs of verified bytes.
 * @throws {HookError} if the page's `trusted-types` does not name `hookline`
 */
export function trustedUrl(url: string): string {
  if (!window.trustedTypes) return url
  try {
    policy ??= window.trustedTypes.createPolicy('hookline', {
      createScriptURL(candidate) {
        if (trusted.has(candidate)) return candidate
        throw new TypeError()
      },
    })
  } catch (cause) {
    throw refusedByPolicy('trusted-types', 'hookline', cause)
  }
  trusted.add(url)
  try {
    return policy.createScriptURL(url)
  } finally {
    trusted.delete(url)
  }
}
