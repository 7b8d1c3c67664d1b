import { HooklineError } from './api-error.ts'

/** What a path segment may be. `.` and `..` would change the path. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\?#%\s\p{Cs}]{1,255}$/u

/**
 * A path of the API, as a template whose values are ids, hosts or numbers; each value is one segment.
 * @throws {HooklineError} `invalid_id` for a value that would change the rest of the path
 */
export function pathTo(template: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const segments = values.map((value) => {
    if (SEGMENT.test(String(value))) return encodeURIComponent(value)
    throw new HooklineError('invalid_id', `${JSON.stringify(value)} is not an id, host or number.`)
  })
  return String.raw({ raw: template }, ...segments)
}
