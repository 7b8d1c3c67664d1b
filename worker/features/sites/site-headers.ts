import { MAX_SITE_FILE_BYTES } from '../../../contract/limits.ts'
import { AppError } from '../../platform/http/errors.ts'
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
])

/**
 * Names that begin with `X-` are a site's own, but for these: what the host itself answers, and what proxies and servers in
 * front of this one obey (nginx, lighttpd, LiteSpeed, Perlbal, Varnish, caches of content delivery networks).
 */
const KEPT_NAMES =
  /^x-(?:content-type-options$|ipfs-|request-id$|forwarded-|http-method-override$|accel-|sendfile|lighttpd-|litespeed-|reproxy-|cache|varnish)/

/** Limits of a `_headers` file: rules, fields of a rule, characters of a line. */
const MAX_RULES = 100
const MAX_FIELDS = 20
const MAX_LINE = 2000

/** A faulty line: because of it the whole file fails, or it alone is ignored. */
export interface RuleFault {
  /** From 1. */
  line: number
  text: string
  /** What is wrong with the line, behind its number. */
  problem: string
  effect: 'fails' | 'ignored'
}

/**
 * Reads a `_headers` file, as static hosts have it: a path pattern in a line of its own, below it the fields it
 * sets, indented; `#` begins a comment. Names that a site may not set are ignored.
 * @throws {AppError} 500 naming the line, so that no site runs without a policy that it set.
 */
export function parseHeadersFile(text: string): HeaderRule[] {
  const { rules, faults } = readHeadersFile(text)
  const fatal = faults.find(({ effect }) => effect === 'fails')
  if (fatal) throw invalidFile(`line ${fatal.line} ${fatal.problem}`)
  return rules
}

/** The rules of a `_headers` file and its faulty lines: all that are ignored, and those that make it fail. */
export function readHeadersFile(text: string): { rules: HeaderRule[]; faults: RuleFault[] } {
  const rules: HeaderRule[] = []
  const faults: RuleFault[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const fault = line.length > MAX_LINE ? fails('is too long') : parseLine(rules, line, content)
    if (fault) faults.push({ line: index + 1, text: line.slice(0, MAX_LINE), ...fault })
  }
  return { rules, faults }
}

const fails = (problem: string) => ({ problem, effect: 'fails' as const })

function parseLine(
  rules: HeaderRule[],
  line: string,
  content: string,
): Pick<RuleFault, 'problem' | 'effect'> | undefined {
  if (!/^\s/.test(line)) {
    if (!content.startsWith('/')) return fails('is no path that begins with "/"')
    if (content.indexOf('*') !== content.lastIndexOf('*')) return fails('has more than one "*"')
    if (rules.length === MAX_RULES) return fails(`begins more than ${MAX_RULES} rules`)
    rules.push({ pattern: parsePathPattern(content), fields: [] })
    return undefined
  }
  const rule = rules.at(-1)
  if (!rule) return fails('sets a header for no path')
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)$/.exec(content) ?? []
  if (name === undefined || value === undefined) return fails('is no header field')
  if (rule.fields.length === MAX_FIELDS) return fails(`sets more than ${MAX_FIELDS} headers`)
  if (!isOwnName(name.toLowerCase())) {
    return { problem: `sets ${name}, which a site cannot set`, effect: 'ignored' }
  }
  rule.fields.push([name.toLowerCase(), value])
  return undefined
}

function isOwnName(name: string): boolean {
  return SAFE_NAMES.has(name) || (name.startsWith('x-') && !KEPT_NAMES.test(name))
}

/** 500 for an invalid `_headers` file. */
function invalidFile(problem: string): AppError {
  return new AppError(500, 'invalid_headers_file', `The _headers file of this site cannot be used: ${problem}.`)
}

export const headersTooLarge = () => invalidFile(`it is larger than ${MAX_SITE_FILE_BYTES} bytes`)

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
