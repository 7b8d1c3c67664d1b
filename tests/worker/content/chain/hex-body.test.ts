import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { writeHex } from '../../../../worker/content/chain/hex-body.ts'

it('writes the digits of bytes wherever they lie in their buffer, and nothing behind them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(5), (all, from) => {
      const bytes = all.subarray(from)
      const target = new Uint8Array(2 * bytes.length + 8).fill(0x2e)
      writeHex(bytes, target)
      expect(new TextDecoder().decode(target)).toBe(`${toHex(bytes)}........`)
    }),
  )
})
