import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf, shownAfter } from '../../client-hook/site/shown-pages.ts'
import { candidatesOf } from '../../client-hook/site/srcset.ts'
import { filesOf, importsOf, replaceUrls } from '../../client-hook/site/style-text.ts'

const FROM = 'https://site.invalid/css/a.css'

describe('the references of a style sheet', () => {
  it.each([
    ['url(b.svg)', ['css/b.svg']],
    ['url( "b c.svg" )', ['css/b c.svg']],
    ["URL('../it\\'s.svg')", ["it's.svg"]],
    ['url(a\\,b\\).svg)', ['css/a,b).svg']],
    ['image-set("a.svg" 1x, url(b.svg) 2x type("image/svg+xml"))', ['css/a.svg', 'css/b.svg']],
    ['"url(a.svg)" /* url(b.svg) */', []],
    ['url(https://other.invalid/a.svg) url(#gradient) url(data:,)', []],
  ])('are found in %s', (value, paths) => {
    expect(filesOf(`p{background:${value}}`, FROM)).toEqual(paths)
  })

  it('are imports where it imports, and names where it names', () => {
    const css =
      '@charset "utf-8";@import"b.css"screen;@import url(c.css) layer(x);@namespace s url(d.css);@media x{p{}}'
    expect(importsOf(css, FROM)).toEqual(['css/b.css', 'css/c.css'])
    expect(filesOf(css, FROM)).toEqual([])
  })

  it('are replaced, with the fragment behind them, and nothing else is', () => {
    const replaced = replaceUrls('@import url("b.css") x;p{a:url( "s.svg#i" ) "s.svg";b:image-set("s.svg" 1x)}', FROM, {
      urlOf: (path) => `blob:${path}`,
      cssOf: (path, hash) => `url("blob:${path}${hash}")`,
    })
    expect(replaced).toBe(
      '@import "blob:css/b.css" x;p{a:url("blob:css/s.svg#i") "s.svg";b:image-set(url("blob:css/s.svg") 1x)}',
    )
  })

  it('leave any text as it is where none is replaced', () => {
    const pieces = fc.constantFrom(
      'url(',
      '"',
      "'",
      ')',
      '@import ',
      '{',
      '}',
      '\\',
      '/*',
      '*/',
      'image-set(',
      ';',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string())), (parts) => {
        const css = parts.join('')
        expect(replaceUrls(css, FROM, { urlOf: () => undefined, cssOf: () => undefined })).toBe(css)
      }),
    )
  })
})

it.each([
  ['a.svg', [['a.svg', '']]],
  [
    'a,b.svg 1x, c.svg 2x',
    [
      ['a,b.svg', '1x'],
      ['c.svg', '2x'],
    ],
  ],
  [
    ' a.svg,\n b.svg 100w',
    [
      ['a.svg', ''],
      ['b.svg', '100w'],
    ],
  ],
  ['', []],
])('the candidates of %j are URLs with descriptors', (srcset, candidates) => {
  expect(candidatesOf(srcset)).toEqual(candidates)
})

describe('the entries of the history of a site', () => {
  const at = (path: string, hash = '') => ({ path, query: '', hash })
  const firstOf = (address: string) => ({ '0': at('left'), '1': at('right') })[address]

  it('change the frames that a link led elsewhere, back and forward', () => {
    const first = { '': at('set') }
    const second = shownAfter(first, '1', at('other'), true)
    expect(changesOf(first, second, firstOf)).toEqual([{ address: '1', to: at('other'), isPage: true }])
    expect(changesOf(second, first, firstOf)).toEqual([{ address: '1', to: at('right'), isPage: true }])
  })

  it('forget what was in the frames of a page before', () => {
    const shown = shownAfter({ '': at('set'), '1': at('other') }, '', at('two'), true)
    expect(shown).toEqual({ '': at('two') })
    expect(changesOf(shown, { '': at('set'), '1': at('other') }, firstOf)).toEqual([
      { address: '', to: at('set'), isPage: true },
    ])
  })

  it('scroll where the page stays', () => {
    const before = { '': at('one') }
    const after = shownAfter(before, '', at('one', '#far'), false)
    expect(changesOf(before, after, firstOf)).toEqual([{ address: '', to: at('one', '#far'), isPage: false }])
  })
})
