import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchHeaders, parseHeadersFile } from '../../../../worker/features/sites/site-headers.ts'

const FILE = `
# every page
/*
  X-Frame-Options: DENY
  Referrer-Policy: no-referrer
/assets/*.css
  Cache-Control: public, max-age=60
/blog/:slug/
  content-language: de
/about
  X-Robots-Tag: noindex
/about
  X-Robots-Tag: nofollow
`
const of = (path: string) => Object.fromEntries(matchHeaders(parseHeadersFile(FILE), path))
const COMMON = { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' }

describe('a _headers file', () => {
  it.each([
    ['/', COMMON],
    ['/assets/deep/a.css', { ...COMMON, 'cache-control': 'public, max-age=60' }],
    ['/assets/a.css.map', COMMON],
    ['/blog/first/', { ...COMMON, 'content-language': 'de' }],
    ['/blog/first', COMMON],
    ['/blog/a/b/', COMMON],
    ['/about', { ...COMMON, 'x-robots-tag': 'noindex, nofollow' }],
  ])('sets for %s what its rules say', (path, expected) => {
    expect(of(path)).toEqual(expected)
  })

  it('S7: cannot set what reaches beyond the site', () => {
    const names = ['Set-Cookie', 'Access-Control-Allow-Origin', 'Strict-Transport-Security', 'Location', 'Refresh']
    const more = [
      'Clear-Site-Data',
      'Service-Worker-Allowed',
      'Link',
      'Alt-Svc',
      'Content-Type',
      'X-Content-Type-Options',
    ]
    const text = `/*\n${[...names, ...more].map((name) => `  ${name}: x`).join('\n')}`
    expect(Object.fromEntries(matchHeaders(parseHeadersFile(text), '/'))).toEqual({})
  })

  it('sets names of its own that begin with X-, but for those of the host and of proxies', () => {
    const own = ['X-Build', 'X-DNS-Prefetch-Control', 'X-Clacks-Overhead', 'X-Content-Type']
    const kept = [
      'X-Accel-Redirect',
      'X-Sendfile',
      'X-LIGHTTPD-send-file',
      'X-Ipfs-Path',
      'X-Forwarded-Host',
      'X-Cache',
    ]
    const text = `/*\n${[...own, ...kept].map((name) => `  ${name}: x`).join('\n')}`
    expect([...matchHeaders(parseHeadersFile(text), '/').keys()]).toEqual(own.map((name) => name.toLowerCase()))
  })

  it.each([
    ['a header before any path', '  X-Frame-Options: DENY'],
    ['a path without a slash', 'assets/*'],
    ['two stars', '/*/a/*'],
    ['no header field', '/*\n  X-Frame-Options'],
    ['bytes a header cannot have', '/*\n  X-Robots-Tag: a\u0000b'],
    ['text beyond ASCII', '/*\n  X-Robots-Tag: é'],
    ['a long line', `/*\n  X-Robots-Tag: ${'a'.repeat(3000)}`],
    ['too many rules', '/a\n'.repeat(101)],
    ['too many headers', `/*\n${'  X-Robots-Tag: a\n'.repeat(21)}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseHeadersFile(text)).toThrow(expect.objectContaining({ status: 500, code: 'invalid_headers_file' }))
  })

  it('gives only header fields that can be sent, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'/*:a .\n\r\t#-$([\\X'), maxLength: 200 }), (noise) => {
        const text = `/*\n  X-Robots-Tag: ${noise}\n${noise}`
        try {
          new Headers([...matchHeaders(parseHeadersFile(text), '/a/b')])
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_headers_file' })
        }
      }),
    )
  })
})
