import { readFileSync } from 'node:fs'
import { encode } from '@ipld/dag-cbor'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import {
  type ContentIndex,
  contentIndexLength,
  decodeContentIndex,
  encodeContentIndex,
  MAX_INDEX_PARTS,
  startsLikeIndex,
} from '../../protocol/content-index.ts'

const MAGIC = '91484f4f4b494431'
const bytes = (hex: string): Uint8Array<ArrayBuffer> => fromHex(hex) ?? new Uint8Array(0)

/** An index as `@ipld/dag-cbor` writes it. */
function encodeElsewhere({ type, size, sha256, encoding, parts }: ContentIndex, more = {}): Uint8Array<ArrayBuffer> {
  const value = { v: 1, type, size, hash: bytes(`1220${sha256}`), encoding, parts: parts.map(hashed), ...more }
  return concatBytes([bytes(MAGIC), encode(value)])
}

/** A txid in the order in which it was hashed. */
const hashed = (txid: string): Uint8Array => bytes(txid).reverse()

const hex32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex)
const index: fc.Arbitrary<ContentIndex> = fc.record({
  type: fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((at) => String.fromCharCode(at)), minLength: 1 }),
  size: fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32)),
  sha256: hex32,
  encoding: fc.constantFrom('br', 'identity'),
  parts: fc.array(hex32, { minLength: 1, maxLength: 40 }),
})

const EXAMPLE: ContentIndex = {
  type: 'text/html',
  size: 2_097_152,
  sha256: 'ab'.repeat(32),
  encoding: 'br',
  parts: [`${'01'.repeat(31)}02`, '03'.repeat(32)],
}

describe('the data of an index transaction', () => {
  it('is what another encoder of DAG-CBOR writes, and is read back', () => {
    fc.assert(
      fc.property(index, (one) => {
        const data = encodeContentIndex(one)
        expect(toHex(data)).toBe(toHex(encodeElsewhere(one)))
        expect(decodeContentIndex(data)).toEqual(one)
      }),
    )
  })

  it('has the length that is known before its parts are', () => {
    fc.assert(
      fc.property(index, ({ encoding: _, ...one }) => {
        const { length } = encodeContentIndex({ ...one, encoding: 'br' })
        expect(contentIndexLength({ ...one, parts: one.parts.length })).toBe(length)
      }),
    )
    // 16 MiB where a transaction holds 99,000 bytes.
    expect(contentIndexLength({ type: 'text/html', size: 16 << 20, parts: 170 })).toBe(5_878)
  })

  it('is none with anything changed, added or left out that leaves it in another form', () => {
    const data = encodeContentIndex(EXAMPLE)
    for (let length = 0; length < data.length; length++)
      expect(decodeContentIndex(data.slice(0, length))).toBe(undefined)
    expect(decodeContentIndex(concatBytes([data, Uint8Array.of(0)]))).toBe(undefined)
    const others = [{ more: 1 }, { v: 2 }, { size: -1 }, { size: 1.5 }, { type: '' }, { type: 'ä' }, { type: 'a\nb' }]
    const wrong = [{ parts: [] }, { parts: [new Uint8Array(31)] }, { hash: new Uint8Array(34) }, { encoding: 'gzip' }]
    for (const more of [...others, ...wrong]) {
      expect(decodeContentIndex(encodeElsewhere(EXAMPLE, more)), JSON.stringify(more)).toBe(undefined)
    }
    const hex = toHex(data)
    // One, and the length of the list, in more bytes than they need; the map without its length.
    for (const [from, to] of [
      ['617601', '61761801'],
      ['82582', '9802582'],
      ['a66176', 'bf6176'],
    ] as const) {
      expect(hex).toContain(from)
      expect(decodeContentIndex(bytes(hex.replace(from, to)))).toBe(undefined)
    }
  })

  it('is read from any bytes without an error, and from none that would be written as others', () => {
    const data = encodeContentIndex(EXAMPLE)
    const altered = fc.tuple(fc.nat(data.length - 1), fc.uint8Array({ minLength: 1, maxLength: 9 }))
    fc.assert(
      fc.property(fc.array(altered, { maxLength: 4 }), fc.nat(data.length), (changes, end) => {
        const other = data.slice(0, end || data.length)
        for (const [at, with_] of changes)
          other.set(with_.subarray(0, Math.max(0, other.length - at)), Math.min(at, other.length))
        const found = decodeContentIndex(other)
        if (found) expect(toHex(encodeElsewhere(found))).toBe(toHex(other))
      }),
      { numRuns: 10_000 },
    )
  })

  it('names no more parts than content may have, and nothing is held for more', () => {
    expect(() => encodeContentIndex({ ...EXAMPLE, parts: Array(MAX_INDEX_PARTS + 1).fill('00'.repeat(32)) })).toThrow(
      RangeError,
    )
    const hex = toHex(encodeContentIndex(EXAMPLE)).replace('82582', '9affffffff582')
    expect(decodeContentIndex(bytes(hex))).toBe(undefined)
    for (const bad of [
      { parts: [] },
      { size: -1 },
      { size: 0.5 },
      { type: 'é' },
      { sha256: 'ab' },
      { parts: ['zz'] },
    ]) {
      expect(() => encodeContentIndex({ ...EXAMPLE, ...bad })).toThrow(RangeError)
    }
  })

  it('begins as no Brotli stream does', () => {
    expect(startsLikeIndex(bytes(MAGIC))).toBe(true)
    expect(startsLikeIndex(bytes(MAGIC.slice(0, -2)))).toBe(false)
  })

  it('is as docs/formats.md shows it', () => {
    const text = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/```json index\n([^`]+)```\n+```text\n([^`]+)```/g)]
    expect(rows.length).toBe(2)
    for (const [, json = '', data = ''] of rows) {
      const { hash, v, ...rest } = JSON.parse(json)
      expect(v).toBe(1)
      const said = { ...rest, sha256: hash.slice(4) }
      expect(toHex(encodeContentIndex(said))).toBe(data.replace(/\s/g, ''))
      expect(decodeContentIndex(bytes(data.replace(/\s/g, '')))).toEqual(said)
    }
  })
})
