import { HookError } from './hook-error.ts'

// lib.dom has no Trusted Types yet (https://w3c.github.io/trusted-types/): what is used of them.
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
 * `url` as sinks take it under `require-trusted-types-for 'script'`. The policy passes only what comes through
 * here: parts of this helper with their hashes, and `blob:` URLs of verified bytes.
 * @throws {HookError} where the page's `trusted-types` does not name `hookline`.
 */
export function trustedUrl(url: string): string {
  if (!window.trustedTypes) return url
  try {
    policy ??= window.trustedTypes.createPolicy('hookline', {
      createScriptURL(candidate) {
        if (trusted.has(candidate)) return candidate
        throw new TypeError('not verified')
      },
    })
  } catch (cause) {
    const message = "The page's Content-Security-Policy refuses the policy hookline in trusted-types."
    throw new HookError('refused_by_policy', message, cause, 'trusted-types')
  }
  trusted.add(url)
  try {
    return policy.createScriptURL(url)
  } finally {
    trusted.delete(url)
  }
}
