import { HooklineError } from './api-error.ts'

/** What one segment of a path may be; a dot or two would lead elsewhere. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\?#%\s\p{Cs}]{1,255}$/u

/**
 * A path of the API, written as a template whose values are ids, hosts or numbers: each becomes one segment.
 * @throws {HooklineError} `invalid_id` for a value that would reach another part of the API
 */
export function pathTo(template: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const segments = values.map((value) => {
    if (SEGMENT.test(String(value))) return encodeURIComponent(value)
    throw new HooklineError('invalid_id', `${JSON.stringify(value)} is no id, host or number.`)
  })
  return String.raw({ raw: template }, ...segments)
}
