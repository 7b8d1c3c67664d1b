import { describe, expect, it } from 'vitest'
import { parseRange } from '../../../../contract/byte-range.ts'
import { corsHeaders } from '../../../../worker/platform/http/cors.ts'
import { acceptsEncoding, readPreference } from '../../../../worker/platform/http/negotiate-encoding.ts'
import { matchesEtag, rangeStillHolds } from '../../../../worker/platform/http/respond.ts'

describe('a Range header on a body of 100 bytes', () => {
  const cases: [string, string | null, ReturnType<typeof parseRange>][] = [
    ['is not sent', null, undefined],
    ['asks for the first byte', 'bytes=0-0', { start: 0, end: 0 }],
    ['asks for a middle', 'bytes=10-19', { start: 10, end: 19 }],
    ['asks from a place to the end', 'bytes=90-', { start: 90, end: 99 }],
    ['asks for the last bytes', 'bytes=-10', { start: 90, end: 99 }],
    ['asks for a longer tail than there is', 'bytes=-1000', { start: 0, end: 99 }],
    ['asks past the end', 'bytes=90-1000', { start: 90, end: 99 }],
    ['starts behind the end', 'bytes=100-', 'unsatisfiable'],
    ['asks for a tail of nothing', 'bytes=-0', 'unsatisfiable'],
    ['runs backwards', 'bytes=20-10', undefined],
    ['is in another unit', 'items=0-1', undefined],
    ['is broken', 'bytes=a-b', undefined],
    ['is empty', 'bytes=-', undefined],
    ['names several, of which the second can be served', 'bytes=200-300, 5-6', { start: 5, end: 6 }],
  ]
  it.each(cases)('%s', (_, header, range) => expect(parseRange(header, 100)).toEqual(range))
  it('cannot be satisfied on an empty body', () => expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable'))
})

describe('Brotli under an Accept-Encoding', () => {
  const cases: [string | undefined, boolean][] = [
    [undefined, false],
    ['br', true],
    ['gzip, deflate, br', true],
    ['gzip', false],
    ['*', true],
    ['*;q=0', false],
    ['br;q=0', false],
    ['br;q=0, *', false],
    ['br;q=0.001', true],
    ['BR', true],
    ['identity;q=1, *;q=0.5', true],
    ['', false],
  ]
  it.each(cases)('%s: %s', (header, taken) => expect(acceptsEncoding(header, 'br')).toBe(taken))
})

describe('a page of another origin', () => {
  const config = { consoleOrigins: ['https://console.example'] }
  const exposed = (path: string, origin: string) =>
    new Headers(corsHeaders(path, origin, config)).get('Access-Control-Expose-Headers') ?? ''

  it('that is the console reads when to come again, and which token is missing', () => {
    for (const name of ['Retry-After', 'WWW-Authenticate']) {
      expect(exposed('/v0/token', 'https://console.example')).toContain(name)
    }
  })
  it('that is any other reads nothing of accounts, and of retrieval when to come again', () => {
    expect(exposed('/v0/token', 'https://any.example')).toBe('')
    expect(exposed('/v0/web', 'https://any.example')).toContain('Retry-After')
  })
  it.each(['/ipfs/cid', '/ipns/name', '/v0/web', '/v0/content/id', '/v0/blob'])(
    'that is any other reads of content at %s whether parts of it can be requested',
    (path) => {
      for (const name of ['Accept-Ranges', 'Content-Encoding']) {
        expect(exposed(path, 'https://any.example').split(', ')).toContain(name)
      }
    },
  )
})

describe('an entity tag', () => {
  it('matches itself, in a list, weakly, and by *', () => {
    for (const header of ['"a"', '"x", "a"', 'W/"a"', '*']) expect(matchesEtag(header, '"a"')).toBe(true)
  })
  it('does not match another, nor an absent header', () => {
    for (const header of ['"b"', 'a', '', null]) expect(matchesEtag(header, '"a"')).toBe(false)
  })
  it('lets a range through only when If-Range has it, strong', () => {
    expect(rangeStillHolds(null, '"a"')).toBe(true)
    expect(rangeStillHolds('"a"', '"a"')).toBe(true)
    expect(rangeStillHolds('W/"a"', '"a"')).toBe(false)
    expect(rangeStillHolds('Wed, 21 Oct 2015 07:28:00 GMT', '"a"')).toBe(false)
  })
})

describe('the coding that an Accept-Encoding prefers', () => {
  it.each([
    ['', 'identity', false],
    ['gzip', 'gzip', false],
    ['gzip, deflate, br, zstd', 'br', false],
    ['gzip;q=1.0, br;q=0.5', 'gzip', false],
    ['br;q=0.5, identity', 'identity', false],
    ['br;q=0.5, identity;q=0.5', 'br', false],
    ['br;q=0, gzip', 'gzip', false],
    ['*', 'br', false],
    ['br;q=0, *', 'identity', false],
    ['gzip, identity;q=0', 'gzip', true],
    ['gzip, *;q=0', 'gzip', true],
    ['*;q=0', 'identity', true],
    ['GZIP', 'gzip', false],
  ])('%s: %s', (header, best, refusesIdentity) => {
    expect(readPreference(header)).toEqual({ best, refusesIdentity })
  })
})
