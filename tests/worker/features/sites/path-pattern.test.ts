import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesPath, parsePathPattern } from '../../../../worker/features/sites/path-pattern.ts'

const matches = (pattern: string, path: string) => matchesPath(parsePathPattern(pattern), path)

/** The same as a regular expression: what it means is plain, and what it takes is not. */
function asRegExp(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace('*', '.*')
    .replace(/\/:[A-Za-z]\w*/g, '/[^/]+')
  return new RegExp(`^${source}$`, 's')
}

describe('a path pattern', () => {
  it.each([
    ['/*', '/', true],
    ['/*.css', '/a/b.css', true],
    ['/*.css', '/.css', true],
    ['/a/*/b', '/a/x/y/b', true],
    ['/a/*/b', '/a/b', false],
    ['/:year.html', '/2024.html', true],
    ['/:year.html', '/.html', false],
    ['/:a*', '/', false],
    ['/:a/*', '/x/', true],
    ['/a', '/a/', false],
  ])('%s and %s', (pattern, path, expected) => expect(matches(pattern, path)).toBe(expected))

  it('means what the regular expression would', () => {
    const text = fc.string({ unit: fc.constantFrom(...'/:ab.'), maxLength: 8 })
    fc.assert(
      fc.property(text, fc.constantFrom('', '*'), text, text, (before, star, after, rest) => {
        const pattern = `/${before}${star}${after}`
        expect(matches(pattern, `/${rest}`)).toBe(asRegExp(pattern).test(`/${rest}`))
      }),
      { numRuns: 5000 },
    )
  })

  it('takes time that is linear in the path, whatever the pattern', () => {
    const pattern = parsePathPattern(`/*${'a'.repeat(1990)}b`)
    const path = `/${'a'.repeat(16_000)}`
    // A regular expression takes 30 million steps each time.
    for (let time = 0; time < 1000; time++) expect(matchesPath(pattern, path)).toBe(false)
  })
})
