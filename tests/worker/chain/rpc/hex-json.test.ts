import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractHex } from '../../../../worker/chain/rpc/hex-json.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** What `extractHex` left, parsed, with the bytes back in the places they were taken from, as hex. */
function putBack(json: string): unknown {
  const { text, hex } = extractHex(encode(json))
  // Numbers of the document itself are strings here, so that every number is an index.
  return JSON.parse(text, (_key, value) => (typeof value === 'number' ? hex[value]?.toHex() : value))
}

const hexDigits = (least: number, most: number) =>
  fc.uint8Array({ minLength: least, maxLength: most }).map((bytes) => bytes.toHex())
const document = fc.array(
  fc.record({
    result: fc.oneof(hexDigits(33, 400), hexDigits(0, 32), fc.string({ unit: 'binary' }), fc.constant(null)),
    error: fc.option(fc.record({ code: fc.constant('-5'), message: fc.string({ unit: 'grapheme' }) })),
    id: fc.string(),
  }),
)

describe('long hex in JSON', () => {
  it('comes out as its bytes, and everything else stays what it was', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        expect(putBack(JSON.stringify(value, null, indent))).toEqual(value)
      }),
    )
  })

  it('of either case is the same bytes', () => {
    const { hex } = extractHex(encode(`["${'aBcDeF09'.repeat(10)}"]`))
    expect(hex).toEqual([Uint8Array.fromHex('abcdef09'.repeat(10))])
  })

  it('stays text where it is not whole bytes, has another character, or is short like a txid', () => {
    for (const text of ['a'.repeat(67), `${'a'.repeat(70)}g${'a'.repeat(69)}`, 'ab'.repeat(32)]) {
      expect(extractHex(encode(JSON.stringify([text])))).toEqual({ text: JSON.stringify([text]), hex: [] })
    }
  })

  it('is found behind strings with quotes and backslashes in them', () => {
    const hex = 'cd'.repeat(50)
    const value = ['"', '\\', '\\"', '"\\\\', `"${hex}`, hex]
    expect(putBack(JSON.stringify(value))).toEqual(value)
  })

  it('makes of bytes that are no JSON nothing worse than text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const before = new TextDecoder().decode(bytes)
        const { text, hex } = extractHex(bytes)
        if (hex.length === 0) expect(text).toBe(before)
      }),
    )
  })

  it('of a string that never ends stays where it is', () => {
    const cut = `[{"result":"${'ab'.repeat(100)}`
    expect(extractHex(encode(cut))).toEqual({ text: cut, hex: [] })
  })
})
