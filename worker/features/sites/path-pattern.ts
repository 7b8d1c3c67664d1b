/** A path pattern of a `_headers` file: `*`, at most once, for anything, and `:name` for the rest of a segment. */
export interface PathPattern {
  /** What a path begins with; all of it where there is no `*`. */
  before: readonly Segment[]
  /** What it ends with, behind the `*`. */
  after: readonly Segment[] | undefined
}

/** Between two slashes: text, after at least one character of anything where the segment begins with `:name`. */
interface Segment {
  any: boolean
  text: string
}

/** Reads a pattern; `*` has been counted. */
export function parsePathPattern(pattern: string): PathPattern {
  const [before = '', after] = pattern.split('*')
  return { before: segmentsOf(before), after: after === undefined ? undefined : segmentsOf(after) }
}

/**
 * Whether a decoded path matches, segment by segment and in time linear in its length: a regular expression of a
 * stranger's making would try every place for its `*`.
 */
export function matchesPath({ before, after }: PathPattern, path: string): boolean {
  const segments = path.split('/')
  if (!after) return segments.length === before.length && before.every((part, index) => isWhole(part, segments[index]))
  const [head, tail] = [before.length - 1, after.length - 1]
  // Of the segment that `*` begins in, and of the one that it ends in, only a part is named.
  const [first, last] = [before[head], after[0]]
  if (!first || !last || segments.length < head + tail + 1) return false
  if (!before.slice(0, -1).every((part, index) => isWhole(part, segments[index]))) return false
  if (!after.slice(1).every((part, index) => isWhole(part, segments[segments.length - tail + index]))) return false
  const between = segments.slice(head, segments.length - tail).join('/')
  const begins = lengthAtStart(first, between)
  return begins !== undefined && between.endsWith(last.text) && begins + last.text.length <= between.length
}

function segmentsOf(text: string): Segment[] {
  return text.split('/').map((segment, index) => {
    const name = index === 0 ? undefined : /^:[A-Za-z]\w*/.exec(segment)?.[0]
    return { any: name !== undefined, text: segment.slice(name?.length ?? 0) }
  })
}

function isWhole({ any, text }: Segment, segment: string | undefined): boolean {
  if (segment === undefined) return false
  return any ? segment.length > text.length && segment.endsWith(text) : segment === text
}

/** How many characters at the start of `rest` a segment matches at least; `undefined` when it does not match. */
function lengthAtStart({ any, text }: Segment, rest: string): number | undefined {
  if (!any) return rest.startsWith(text) ? text.length : undefined
  const [segment = ''] = rest.split('/', 1)
  const at = segment.indexOf(text, 1)
  return segment === '' || at < 0 ? undefined : at + text.length
}
