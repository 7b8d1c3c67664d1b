import { AppError } from '../http/errors.ts'
import { matchesPath, type PathPattern, parsePathPattern } from './path-pattern.ts'

/** One rule of a `_headers` file: a path pattern and the header fields it sets. */
export interface HeaderRule {
  pattern: PathPattern
  fields: [name: string, value: string][]
}

/**
 * What a site may say of its own answers. Nothing here reaches beyond the site's own origin; cookies, CORS,
 * HSTS, redirects, preloads and service worker scopes are not a site's to set.
 */
const SAFE_NAMES = new Set([
  'cache-control',
  'content-language',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'permissions-policy',
  'referrer-policy',
  'x-frame-options',
  'x-robots-tag',
])

/** Limits of a `_headers` file: bytes, rules, fields of a rule, characters of a line. */
export const HEADERS_FILE_BYTES = 64 * 1024
const MAX_RULES = 100
const MAX_FIELDS = 20
const MAX_LINE = 2000

/**
 * Reads a `_headers` file, as static hosts have it: a path pattern in a line of its own, below it the fields it
 * sets, indented; `#` begins a comment. Names that are not a site's to set are passed over.
 * @throws {AppError} 500 naming the line, so that no site runs without a policy it believes to have.
 */
export function parseHeadersFile(text: string): HeaderRule[] {
  const rules: HeaderRule[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const problem = line.length > MAX_LINE ? 'is too long' : takeLine(rules, line, content)
    if (problem) throw invalidFile(`line ${index + 1} ${problem}`)
  }
  return rules
}

function takeLine(rules: HeaderRule[], line: string, content: string): string | undefined {
  if (!/^\s/.test(line)) {
    if (!content.startsWith('/')) return 'is no path that begins with "/"'
    if (content.indexOf('*') !== content.lastIndexOf('*')) return 'has more than one "*"'
    if (rules.length === MAX_RULES) return `begins more than ${MAX_RULES} rules`
    rules.push({ pattern: parsePathPattern(content), fields: [] })
    return undefined
  }
  const rule = rules.at(-1)
  if (!rule) return 'sets a header for no path'
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)$/.exec(content) ?? []
  if (name === undefined || value === undefined) return 'is no header field'
  if (rule.fields.length === MAX_FIELDS) return `sets more than ${MAX_FIELDS} headers`
  if (SAFE_NAMES.has(name.toLowerCase())) rule.fields.push([name.toLowerCase(), value])
  return undefined
}

/** 500 for a `_headers` file that cannot be obeyed. */
export function invalidFile(problem: string): AppError {
  return new AppError(500, 'invalid_headers_file', `The _headers file of this site cannot be used: ${problem}.`)
}

/** The fields that the rules set for a decoded path; where several match, their values are joined. */
export function matchHeaders(rules: readonly HeaderRule[], path: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const { pattern, fields: set } of rules) {
    if (!matchesPath(pattern, path)) continue
    for (const [name, value] of set) {
      const before = fields.get(name)
      fields.set(name, before === undefined ? value : `${before}, ${value}`)
    }
  }
  return fields
}
