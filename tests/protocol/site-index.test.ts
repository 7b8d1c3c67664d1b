import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findIndexName } from '../../protocol/site-index.ts'

/** All that may be a first page, in the order in which they count. */
const ORDER = [
  ['index.html', 'INDEX.HTML', 'Index.html', 'indeX.html'],
  ['index.htm', 'INDEX.HTM', 'Index.htm'],
  ['default.html', 'Default.html'],
  ['default.htm', 'DEFAULT.HTM', 'Default.htm'],
].flat()

describe('the first page of a folder', () => {
  it.each(ORDER)('may be %s', (name) => {
    expect(findIndexName(['a.txt', name, 'style.css'])).toBe(name)
  })

  it('is the one that counts most, in whatever order the names come', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...ORDER), { minLength: 1 }),
        fc.array(fc.string()),
        (some, others) => {
          const [first] = ORDER.filter((name) => some.includes(name))
          expect(findIndexName([...others, ...some])).toBe(first)
          expect(findIndexName([...some, ...others].reverse())).toBe(first)
        },
      ),
    )
  })

  it.each([[], ['index'], ['index.htmlx', 'myindex.html', 'index.php', 'ındex.html', 'home.html', '']])(
    'is none of other names: %j',
    (...names) => {
      expect(findIndexName(names)).toBeUndefined()
    },
  )
})
