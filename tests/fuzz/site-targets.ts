import { contentRange, parseRange } from '../../contract/byte-range.ts'
import { parseMediaType } from '../../contract/media-type.ts'
import { collectDenylist } from '../../worker/content/denylist/collect-denylist.ts'
import { mediaTypeByContent, mediaTypeByName } from '../../worker/content/ipfs/formats/media-type.ts'
import { matchRedirect, parseRedirects } from '../../worker/content/ipfs/gateway/redirects.ts'
import { formatIpfsUri, formatSubPath, parseSubPath } from '../../worker/content/ipfs/names/content-path.ts'
import { parseIpnsName } from '../../worker/content/ipfs/names/ipns-name.ts'
import { isDomainName, itemOfTarget, itemOfTexts } from '../../worker/features/sites/domains/match-domain.ts'
import { matchHeaders, parseHeadersFile } from '../../worker/features/sites/site-headers.ts'
import { parseDnsAnswer } from '../../worker/platform/dns/query-dns.ts'
import { acceptsEncoding } from '../../worker/platform/http/negotiate-encoding.ts'
import { hasAmbiguousName, parseJsonObject } from '../../worker/platform/http/parse-json.ts'
import { type FuzzTarget, require, textOf } from './target.ts'

const PATHS = ['/', '/a', '/a/b.html', '/posts/2026/11/a b', '/%2e%2e', `/${'x/'.repeat(100)}`]

/** What a value would do to the fields of an answer. */
function requireFieldValue(name: string, value: string): void {
  const headers = new Headers()
  headers.set(name, value)
  require(headers.get(name) === value.trim(), `${name} is one field with this value`)
}

function readHeadersFile(input: Uint8Array): void {
  const rules = parseHeadersFile(textOf(input))
  for (const path of PATHS) for (const [name, value] of matchHeaders(rules, path)) requireFieldValue(name, value)
}

function readRedirects(input: Uint8Array): void {
  const rules = parseRedirects(textOf(input))
  for (const path of PATHS) {
    const found = matchRedirect(rules, parseSubPath(path).segments)
    if (found) requireFieldValue('Location', found.to)
  }
}

/** The first line is the size of the body, the rest the header. */
function readRange(input: Uint8Array): void {
  const [first = '', ...rest] = textOf(input).split('\n')
  const size = /^\d{1,15}$/.test(first) ? Number(first) : 1000
  const range = parseRange(rest.join('\n'), size)
  if (range === undefined || range === 'unsatisfiable') return
  const { start, end } = range
  require(Number.isInteger(start) && Number.isInteger(end), 'a range has whole numbers')
  require(0 <= start && start <= end && end < size, 'a range lies within the body')
  requireFieldValue('Content-Range', contentRange(range, size))
}

function readMediaType(input: Uint8Array): void {
  const type = parseMediaType(textOf(input))
  if (type === undefined) return
  requireFieldValue('Content-Type', type)
  require(!/^multipart\//i.test(type), 'no type has several bodies in one')
  require(!/;[ \t]*charset="?utf-?7/i.test(type), 'no charset hides markup')
}

function sniff(input: Uint8Array): void {
  requireFieldValue('Content-Type', mediaTypeByContent(input, true))
  requireFieldValue('Content-Type', mediaTypeByContent(input, false))
  mediaTypeByName(textOf(input))
}

function readJsonBody(input: Uint8Array): void {
  const text = textOf(input)
  const parsed = parseJsonObject(text)
  require(!hasAmbiguousName(text), 'no name stands twice')
  require(!Object.keys(parsed).includes('__proto__'), 'no name reaches a prototype')
  require(Object.keys(parsed).join() === Object.keys(JSON.parse(text)).join(), 'both parsers read the same')
}

function readDnsAnswer(input: Uint8Array): void {
  let answer: unknown
  try {
    answer = JSON.parse(textOf(input))
  } catch {
    return
  }
  let records: ReturnType<typeof parseDnsAnswer>
  try {
    records = parseDnsAnswer(answer)
  } catch {
    // That it is none is what its caller makes a refusal of.
    return
  }
  itemOfTexts(records)
  for (const { data, ttl } of records) {
    require(ttl >= 0, 'a time to live is not negative')
    itemOfTarget(data, 'storage.example')
  }
}

function readPath(input: Uint8Array): void {
  const text = textOf(input)
  const path = parseSubPath(text)
  require(!path.segments.some((segment) => ['', '.', '..'].includes(segment)), 'no segment leads elsewhere')
  const again = parseSubPath(formatSubPath({ ...path, slash: false }))
  // What is encoded within a segment separates nothing.
  const decoded = path.segments.join('/').split('/').length
  require(again.segments.length <= decoded, 'a path that is written is read')
  requireFieldValue('Ipfs-Uri', formatIpfsUri('ipfs', 'bafkqaaa', path))
  requireFieldValue('Location', formatSubPath(path) || '/')
}

function readName(input: Uint8Array): void {
  const text = textOf(input)
  isDomainName(text)
  const name = parseIpnsName(text)
  if (name) require(parseIpnsName(name.text)?.text === name.text, 'a canonical name is its own canonical name')
}

const DENYLIST_LIMITS = { entries: 1000, bytes: 1 << 20, exceptions: 10, line: 4096 }

async function readDenylist(input: Uint8Array): Promise<void> {
  try {
    const list = await collectDenylist(new Blob([input.slice()]).stream(), async () => {}, DENYLIST_LIMITS)
    require(list.entries > 0 && list.entries <= DENYLIST_LIMITS.entries, 'a list has entries within its bound')
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('It holds no rule'))) throw error
  }
}

export const SITE_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'headers-file',
    run: readHeadersFile,
    words: ['/*', '/a', '\n', '\r\n', '\n  ', 'Content-Security-Policy: ', 'X-Frame-Options: DENY', ':', '#', '\u0000'],
  },
  {
    name: 'redirects-file',
    run: readRedirects,
    words: [
      '/*',
      '/:splat',
      ':a',
      ' 200',
      ' 301',
      ' 404',
      'https://x.example/',
      '//',
      '\n',
      '#',
      '\u0000',
      'javascript:',
    ],
  },
  { name: 'range', run: readRange, words: ['bytes=', '0-', '-1', ',', '-', '99999999999999999999', '\n', '-0'] },
  {
    name: 'media-type',
    run: readMediaType,
    words: ['text/html', 'multipart/', ';charset=', 'utf-7', '"', '\\', '\r\n', '/', ';', '=', 'x-'],
  },
  {
    name: 'sniff',
    run: sniff,
    words: ['<!doctype html>', '<svg ', '<?xml', '<!--', '-->', '\u0089PNG', '{', '[', '\ufeff', '<!doctype svg', '>'],
  },
  {
    name: 'json',
    run: readJsonBody,
    words: ['"', '\\u005f', '__proto__', '{"a":', '}', '[', ',', '\\"', '"a":1,"a":2'],
  },
  {
    name: 'dns-answer',
    run: readDnsAnswer,
    words: [
      '{"Status":0,"Answer":[',
      '{"name":"a.","type":16,"TTL":1,"data":"\\"item=',
      '"type":5',
      '\\\\',
      '"TTL":-1',
      ']}',
    ],
  },
  { name: 'path', run: readPath, words: ['/', '%2F', '%2e', '..', '.', '%', '%00', '%C3%A9', '\\', '?', '#'] },
  {
    name: 'name',
    run: readName,
    words: ['k51qzi5uqu5d', '12D3Koo', 'Qm', 'bafzaa', '.', '-', '--', 'example', '.ipns.'],
  },
  {
    name: 'denylist',
    run: readDenylist,
    words: ['/ipfs/', '/ipns/', '//', '+', '!', '/*', '\n', '---', 'bafkqaaa', 'Qm', ' x=y', '%'],
  },
  {
    name: 'accept-encoding',
    run: (input) => acceptsEncoding(textOf(input), 'br'),
    words: ['br', 'gzip', '*', ';q=', '0', '1.000', ',', ' ', '\t'],
  },
]
