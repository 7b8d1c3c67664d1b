import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMediaType } from '../../contract/media-type.ts'
import { CHARSET_BYTES, encodingOfType, readCharsets, typeOfBytes, withCharset } from '../../reader/charset.ts'
import { DECLARED, latin1, UNDECLARED } from '../kit/declared-charsets.ts'

const bare = (type: string) => type.replace(/;.*/, '')
const utf8 = (text: string) => new TextEncoder().encode(text)
const charsetOf = (type: string, bytes: Uint8Array) => /charset=(.*)/.exec(typeOfBytes(type, bytes))?.[1]

describe('the charset of content', () => {
  it.each(Object.entries(DECLARED))('is what the bytes declare: %s', (_, { bytes, type, shows }) => {
    expect([typeOfBytes(bare(type), bytes), typeOfBytes(`${bare(type)}; charset=utf-8`, bytes)]).toEqual([type, type])
    expect(new TextDecoder(encodingOfType(type)).decode(bytes)).toContain(shows)
  })

  it.each(Object.entries(UNDECLARED))('is not named where nothing declares it: %s', (_, { bytes, type }) => {
    expect([typeOfBytes(type, bytes), typeOfBytes(`${type}; charset="UTF-8"`, bytes)]).toEqual([type, type])
  })

  it.each([
    ['an attribute of another element', '<p charset=koi8-r>', 'utf-8'],
    ['a quoted > within a tag', '<p title="<meta charset=koi8-r>">', 'utf-8'],
    ['a pragma in any order', '<meta content="x; charset=koi8-r" name=a http-equiv="CONTENT-TYPE">', 'koi8-r'],
    ['content without a pragma', '<meta name=a content="text/html; charset=koi8-r">', 'utf-8'],
    ['a label that nobody knows, and one behind it', '<meta charset=klingon><meta charset=koi8-r>', 'koi8-r'],
    ['the first of two', '<meta charset=koi8-r charset=gbk><meta charset=big5>', 'koi8-r'],
    ['a slash for a space', '<meta/charset="koi8-r"/>', 'koi8-r'],
    ['x-user-defined', '<meta charset=x-user-defined>', 'windows-1252'],
    ['an XML declaration', '<?xml version="1.0" encoding="koi8-r"?><html>', 'koi8-r'],
    ['a tag that is not closed in time', `<meta charset=koi8-r ${'a '.repeat(600)}>`, 'utf-8'],
  ])('of a page follows the prescan of HTML: %s', (_, text, charset) => {
    expect(charsetOf('text/html', utf8(text))).toBe(charset)
  })

  it('of XML without a byte order mark is told from its first characters', () => {
    const text = '<?xml version="1.0"?><r/>'
    const wide = Uint8Array.from([...text].flatMap((character) => [character.charCodeAt(0), 0]))
    expect(charsetOf('application/atom+xml', wide)).toBe('utf-16le')
    expect(charsetOf('application/atom+xml', Uint8Array.of(0, ...wide.subarray(0, -1)))).toBe('utf-16be')
  })

  it('follows the declarations of its own type alone', () => {
    expect(charsetOf('text/plain', utf8('<meta charset=koi8-r>'))).toBe('utf-8')
    expect(charsetOf('text/css', utf8('/**/@charset "koi8-r";'))).toBe('utf-8')
    expect(charsetOf('text/css', utf8('@charset "utf-16";'))).toBe('utf-8')
    expect(charsetOf('text/xml', utf8('<meta charset="koi8-r"/>'))).toBe('utf-8')
  })

  it('keeps what the owner said where the bytes declare nothing', () => {
    expect(typeOfBytes('text/plain; charset=Shift_JIS', latin1('\x93\xfa'))).toBe('text/plain; charset=Shift_JIS')
    expect(typeOfBytes('text/plain;charset=latin1;format=flowed', latin1('\xfc'))).toBe(
      'text/plain;charset=latin1;format=flowed',
    )
    expect(typeOfBytes('text/plain; charset=utf-8; format=flowed', latin1('\xfc'))).toBe('text/plain; format=flowed')
  })

  it('is named for no type that has none', () => {
    const bytes = utf8('{"a":"ü"}')
    for (const type of ['application/json', 'application/ld+json', 'image/png', 'application/octet-stream']) {
      expect(typeOfBytes(type, bytes)).toBe(type)
    }
    expect(typeOfBytes('application/json; charset=utf-8', bytes)).toBe('application/json; charset=utf-8')
    expect(typeOfBytes('application/json; charset=utf-8', latin1('"\xfc"'))).toBe('application/json')
  })

  it('is decided on the first 64 KiB, cut at a character', () => {
    const start = 'x'.repeat(CHARSET_BYTES - 1)
    expect(charsetOf('text/plain', utf8(`${start}ü and more`))).toBe('utf-8')
    expect(charsetOf('text/plain', Uint8Array.of(...utf8(start), 0x20, 0xfc))).toBe('utf-8')
    expect(charsetOf('text/plain', Uint8Array.of(...utf8(start), 0xfc))).toBeUndefined()
    expect(readCharsets(Uint8Array.of(0x78, 0xc3), true).utf8).toBe(false)
  })

  it('of a terminal’s output is UTF-8', () => {
    expect(charsetOf('text/plain', utf8('\x1b[1mbold\x1b(B\x1b[m ü'))).toBe('utf-8')
  })

  it('makes no media type invalid, whatever the bytes', () => {
    const labels = fc.constantFrom('utf-8', 'koi8-r', 'utf-16', 'hz-gb-2312', 'x"; q=1', '\0', 'replacement')
    const starts = fc.constantFrom('<meta charset="', '@charset "', '<?xml version="1.0" encoding="', '\xff\xfe', '')
    const types = fc.constantFrom('text/html', 'text/css; charset=utf-8', 'text/xml;charset="gbk"', 'text/plain')
    fc.assert(
      fc.property(types, starts, labels, fc.uint8Array({ maxLength: 2000 }), (type, start, label, rest) => {
        const bytes = Uint8Array.of(...latin1(`${start}${label}";?>`), ...rest)
        const sent = typeOfBytes(type, bytes)
        expect(parseMediaType(sent)).toBe(sent)
        expect(withCharset(sent, readCharsets(bytes, true))).toBe(sent)
      }),
    )
  })
})
