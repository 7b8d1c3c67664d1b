import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../protocol/bytes.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readLiteralStart } from '../../protocol/literal-start.ts'
import { readWhole } from '../../reader/read-whole.ts'

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** As one meta-block, as all was stored before. */
const AS_ONE = Number.POSITIVE_INFINITY

const literal = (bytes: Uint8Array) => readWhole(literalBrotli(once(bytes), bytes.length, AS_ONE))

describe('the beginning of an uncompressed Brotli stream', () => {
  it.each([1, 65_536, 65_537, 2 ** 20, 2 ** 20 + 1])('says where content of %i bytes is', async (length) => {
    const stored = await literal(new Uint8Array(length).fill(7))
    expect(readLiteralStart(stored)).toEqual({ header: stored.length - length - 1, length })
  })

  it('is not that of compressed content, nor of what is no Brotli', () => {
    for (const bytes of [
      brotliCompressSync('a'.repeat(100)),
      Buffer.from('06', 'hex'),
      Buffer.alloc(0),
      Buffer.alloc(9),
    ])
      expect(readLiteralStart(bytes)).toBe(undefined)
  })

  it('is found only where a decoder yields the bytes behind it as they are', () => {
    const beginning = fc.uint8Array({ minLength: 1, maxLength: 5 })
    let found = 0
    fc.assert(
      fc.property(beginning, fc.integer({ min: 0, max: 255 }), (bytes, fill) => {
        const start = readLiteralStart(bytes)
        if (!start || start.length > 2 ** 21) return
        found++
        const content = new Uint8Array(start.length).fill(fill)
        content.set(bytes.subarray(start.header).subarray(0, start.length))
        const whole = concatBytes([bytes.subarray(0, start.header), content, Uint8Array.of(0x03)])
        expect(Buffer.compare(brotliDecompressSync(whole), content)).toBe(0)
      }),
      { numRuns: 20_000 },
    )
    expect(found).toBeGreaterThan(10)
  })
})
