import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CHARSET_BYTES, readCharsets } from '../../../../reader/charset.ts'
import { decodeStored, formOf } from '../../../../worker/content/chain/brotli.ts'
import { memoryOf } from '../../../../worker/platform/flow/memory-budget.ts'
import { randomBytes } from '../ipfs/dag-fixture.ts'

const MIB = 1 << 20

/** 140 MiB of zeros. */
const ZEROS_140_MIB = Buffer.from(
  'cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f011087' +
    '0500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe0980382c00d0bdffe3ffff1f' +
    'fc1300715800a07bffc7ffff3ff82700e2b00040f7fe8fffff7ff04f00c4610180eefd1fffffffe09f0088c30200ddfb' +
    '3ffeffffc13f0110870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe098038' +
    '2c00d0bdffe3ffff1ffc1300715800a07bffc7ffff3ff82700e2b00040f7fe2fffff7ff04f00c4610180eefd0f',
  'hex',
)

const inParts = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

describe('what stored bytes are', () => {
  const contents: [string, Uint8Array][] = [
    ['a page', brotliCompressSync(Buffer.from('<!doctype html>Hello'))],
    ['Brotli of more than is decoded at once', brotliCompressSync(randomBytes(2 * MIB))],
    ['Brotli of little that decodes to much', brotliCompressSync(Buffer.alloc(3 * MIB))],
    ['Brotli of more than is served', brotliCompressSync(Buffer.alloc(5 * MIB))],
    ['Brotli of more than the stack has room to decode', ZEROS_140_MIB],
    ['plain text that begins like Brotli', Buffer.from('; plain text')],
    ['bytes that are no Brotli', randomBytes(2 * MIB)],
    ['Brotli with bytes behind it', Buffer.concat([brotliCompressSync(randomBytes(2 * MIB)), Buffer.from('more')])],
    ['Brotli that is cut short', brotliCompressSync(randomBytes(2 * MIB)).subarray(0, -9)],
    ['a file of 0 bytes', Uint8Array.of(6)],
    ['another stream of nothing', Uint8Array.of(0x3b)],
  ]
  it.each(contents)('is the same in parts as in one piece: %s', async (_, bytes) => {
    const outcome = decodeStored(bytes, 4 * MIB)
    const { encoding } = outcome
    const content = outcome.encoding === 'br' ? outcome.decoded : bytes
    const charsets = readCharsets(content.subarray(0, CHARSET_BYTES), content.length <= CHARSET_BYTES)
    const size = outcome.encoding === 'br' ? { decodedBytes: outcome.decoded.length } : {}
    const form = encoding === 'oversize' ? { encoding } : { encoding, charsets, ...size }
    const take = memoryOf(undefined)
    expect(await formOf([bytes], bytes.length, 4 * MIB, take)).toEqual(form)
    expect(await formOf(inParts(bytes, 100_000), bytes.length, 4 * MIB, take)).toEqual(form)
  })

  it('is nothing for the one byte 06 alone', () => {
    expect(decodeStored(Uint8Array.of(6), MIB)).toEqual({ encoding: 'br', decoded: new Uint8Array(0) })
    // Streams that decode to nothing as well: with other windows, with an empty meta-block before the last (RFC 7932, 9.2).
    const others = [[0x3b], [0x33], [0x0b, 0x03], [0x06, 0x06], [0x06, 0x00]].map((bytes) => Uint8Array.from(bytes))
    for (const bytes of others) expect([bytes, decodeStored(bytes, MIB)]).toEqual([bytes, { encoding: 'identity' }])
  })
})
