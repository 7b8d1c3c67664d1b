import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { concatBytes } from '../../protocol/bytes.ts'
import { decodeText } from '../../protocol/decode-text.ts'

const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()
const MARKS: [string, number[], (text: string) => Uint8Array][] = [
  ['UTF-8', [], (text) => new TextEncoder().encode(text)],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf], (text) => new TextEncoder().encode(text)],
  ['UTF-16 LE', [0xff, 0xfe], utf16le],
  ['UTF-16 BE', [0xfe, 0xff], utf16be],
]

it.each(MARKS)('text in %s is read without its mark', (_, mark, encode) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(text.isWellFormed() && !text.startsWith('\ufeff'))
      expect(decodeText(concatBytes([Uint8Array.from(mark), encode(text)]))).toBe(text)
    }),
  )
})

it('any bytes are some text', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => typeof decodeText(bytes) === 'string'))
  expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x41))).toBe('\ufffd')
})
