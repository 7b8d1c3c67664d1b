import { MAX_SITE_FILE_BYTES } from '../../../../contract/limits.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { encodeSegment } from '../names/content-path.ts'

/** One line of a `_redirects` file. */
export interface RedirectRule {
  /** Segments of `from`; one that begins with `:` matches any segment. */
  from: readonly string[]
  /** `from` ended with `*`, which matches everything below. */
  splat: boolean
  to: string
  status: RedirectStatus
}

const STATUSES = [200, 301, 302, 303, 307, 308, 404, 410, 451] as const
export type RedirectStatus = (typeof STATUSES)[number]

/** The longest target of a rule, in characters: servers accept no longer ones. */
const MAX_TARGET = 8192
/** Each request for a path that does not exist tries every rule. */
const MAX_RULES = 2000

/**
 * Reads a `_redirects` file: `from to [status]` a line, `#` for comments (Web _redirects File specification).
 * @throws {AppError} 500 for a file with an error anywhere, as the specification has it.
 */
export function parseRedirects(text: string): RedirectRule[] {
  const { rules, faults } = readRedirectsFile(text)
  const [fault] = faults
  if (fault) throw invalidRedirects(fault.whole ? fault.problem : `line ${fault.line}: ${fault.problem}`)
  return rules
}

/** A line that lets the whole file fail; `whole` where no line of its own is wrong, but how many there are. */
export interface RedirectFault {
  /** From 1. */
  line: number
  text: string
  problem: string
  whole: boolean
}

/** The rules of a `_redirects` file and its faulty lines, in order. */
export function readRedirectsFile(text: string): { rules: RedirectRule[]; faults: RedirectFault[] } {
  const rules: RedirectRule[] = []
  const faults: RedirectFault[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fields = line.trim().split(/\s+/)
    if (fields[0] === '' || fields[0]?.startsWith('#')) continue
    const rule = parseRule(fields)
    const at = { line: index + 1, text: line }
    if (typeof rule === 'string') faults.push({ ...at, problem: rule, whole: false })
    else if (rules.push(rule) > MAX_RULES) {
      faults.push({ ...at, problem: `more than ${MAX_RULES} rules`, whole: true })
      break
    }
  }
  return { rules, faults }
}

/** 500 for a `_redirects` file that cannot be used. */
export function invalidRedirects(problem: string): AppError {
  return new AppError(500, 'invalid_redirects', `could not parse _redirects: ${problem}`)
}

function parseRule([from = '', to = '', status = '301', ...rest]: string[]): RedirectRule | string {
  if (rest.length > 0 && !rest[0]?.startsWith('#')) return 'must match format "from to [status]"'
  if (status.endsWith('!')) return 'forced redirects (or "shadowing") are not supported'
  const code = STATUSES.find((known) => String(known) === status)
  if (code === undefined) return `status code ${status} is not supported`
  if (!from.startsWith('/')) return 'from path must begin with "/"'
  const splat = from.endsWith('/*')
  const segments = segmentsOf(splat ? from.slice(0, -1) : from)
  if (segments.some((segment) => segment.includes('*'))) return 'path must end with asterisk, which must stand alone'
  const local = to.startsWith('/') && !to.startsWith('//')
  if (!local && code !== 301 && code !== 302 && code !== 303 && code !== 307 && code !== 308) {
    return 'to must be a path for this status code'
  }
  if (!local && !isWebUrl(to)) return 'to must begin with "/" or be an http(s) URL'
  return { from: segments, splat, to, status: code }
}

/** Whether the target is a URL whose origin contains no placeholder. */
function isWebUrl(to: string): boolean {
  return /^https?:\/\/[^/:?#\s]+(?::\d+)?(?:[/?#]|$)/.test(to) && URL.canParse(to)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Where the first rule that matches leads; placeholders are put in percent-encoded. */
export function matchRedirect(
  rules: readonly RedirectRule[],
  segments: readonly string[],
): { to: string; status: RedirectStatus } | undefined {
  const encoded = segments.map(encodeSegment)
  for (const rule of rules) {
    const values = matchRule(rule, segments, encoded)
    // A header field allows visible ASCII only.
    if (values)
      return { to: fillIn(rule.to, values).replace(/[^\x21-\x7e]+/g, encodeURIComponent), status: rule.status }
  }
  return undefined
}

/** @throws {AppError} 500 for a target that a long path makes longer than an address may be. */
function fillIn(to: string, values: ReadonlyMap<string, string>): string {
  let length = to.length
  return to.replace(/:([A-Za-z_]\w*)/g, (whole, name: string) => {
    const value = values.get(name) ?? whole
    length += value.length - whole.length
    if (length > MAX_TARGET) throw invalidRedirects('a rule leads to an address that is too long')
    return value
  })
}

function matchRule(
  { from, splat }: RedirectRule,
  segments: readonly string[],
  encoded: readonly string[],
): Map<string, string> | undefined {
  if (splat ? segments.length < from.length : segments.length !== from.length) return undefined
  const values = new Map<string, string>()
  for (const [index, expected] of from.entries()) {
    const value = encoded[index] ?? ''
    if (expected.startsWith(':')) values.set(expected.slice(1), value)
    else if (expected !== segments[index] && expected !== value) return undefined
  }
  if (splat) values.set('splat', encoded.slice(from.length).join('/'))
  return values
}

/**
 * The target of a redirect with the query of the request (`?` included), whose parameters take the place of those of the
 * same name (Web _redirects File specification). Each stays as it was written, those of the request in their order; the
 * target's are put between them by name, since other gateways sort all.
 */
export function keepQuery(to: string, search: string): string {
  if (search === '') return to
  const [, path = '', own = '', fragment = ''] = /^([^?#]*)\??([^#]*)(.*)$/s.exec(to) ?? []
  const asked = parametersOf(search.slice(1))
  const names = new Set(asked.map(({ name }) => name))
  const others = parametersOf(own)
    .filter(({ name, text }) => text !== '' && !names.has(name))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
  const merged: string[] = []
  let next = 0
  for (const { name, text } of asked) {
    for (let other = others[next]; other && other.name < name; other = others[++next]) merged.push(other.text)
    merged.push(text)
  }
  for (const { text } of others.slice(next)) merged.push(text)
  return `${path}?${merged.join('&')}${fragment}`
}

/** The parameters of a query as they are written, with their names decoded. */
function parametersOf(query: string): { name: string; text: string }[] {
  return query.split('&').map((text) => ({ name: new URLSearchParams(text).keys().next().value ?? '', text }))
}

export const redirectsTooLarge = () =>
  invalidRedirects(`redirects file size cannot exceed ${MAX_SITE_FILE_BYTES} bytes`)
