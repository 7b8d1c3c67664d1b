import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'

describe('hex', () => {
  it('is what Node writes, and is parsed in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const hex = toHex(bytes)
        expect(hex).toBe(Buffer.from(bytes).toString('hex'))
        expect(fromHex(hex)).toEqual(new Uint8Array(bytes))
        expect(fromHex(hex.toUpperCase())).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  it('is refused with half a byte or anything but its digits', () => {
    for (const hex of ['a', 'abc', 'zz', '0x', ' a', 'ab cd', 'é0', '0/', ':0', '@1', 'g0', '`0']) {
      expect(fromHex(hex)).toBeUndefined()
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), (text) => {
        expect(fromHex(text) !== undefined).toBe(/^([0-9a-fA-F]{2})*$/.test(text))
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('joined bytes', () => {
  it('are all the parts in order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (parts) => {
        expect(toHex(concatBytes(parts))).toBe(parts.map(toHex).join(''))
      }),
    )
  })
})
