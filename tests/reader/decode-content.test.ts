import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeContent } from '../../reader/brotli/decode-content.ts'
import { decodeWithZlib } from '../../reader/brotli/decode-with-zlib.ts'

const decode = (...stored: number[]) => decodeContent(Uint8Array.from(stored), decodeWithZlib(zlib))

describe('stored content that decodes to nothing', () => {
  it('is a file of 0 bytes for the one byte 06', async () => {
    expect(await decode(0x06)).toEqual(new Uint8Array(0))
  })

  // Other windows, an empty meta-block before the last one, bytes behind the stream (RFC 7932, 9.2).
  it.each([[[0x3b]], [[0x33]], [[0x0b, 0x03]], [[0x06, 0x06]], [[0x06, 0x00]]])(
    'is the bytes it is otherwise: %j',
    async (bytes) => {
      expect([...(await decode(...bytes))]).toEqual(bytes)
    },
  )
})
