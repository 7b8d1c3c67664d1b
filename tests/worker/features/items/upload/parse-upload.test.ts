import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { METADATA_KEYS, NewItem } from '../../../../../contract/item.ts'
import {
  newItemOf,
  parseByteCount,
  parseMetadata,
  requireTusVersion,
} from '../../../../../worker/features/items/upload/parse-upload.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('Upload-Metadata', () => {
  it('gives back every pair that was written into it', () => {
    const pairs = fc.dictionary(fc.stringMatching(/^[!-+\--~]{1,20}$/), fc.string({ unit: 'grapheme' }), {
      maxKeys: 10,
    })
    fc.assert(
      fc.property(pairs, (wanted) => {
        const entries = Object.entries(wanted)
        const header = entries.map(([key, value]) => `${key} ${base64(value)}`).join(',')
        expect([...parseMetadata(header)]).toEqual(entries)
      }),
    )
  })

  it('may be missing, and have keys without values', () => {
    expect(parseMetadata(undefined).size).toBe(0)
    expect([...parseMetadata(`filename ${base64('ä.txt')}, is_private`)]).toEqual([
      ['filename', 'ä.txt'],
      ['is_private', ''],
    ])
  })

  it('carries every field of a new item but its size', () => {
    const item = {
      name: 'ä.txt',
      mimetype: 'text/plain',
      blockchain: 'IPFS',
      folder: 'a'.repeat(24),
      order: crypto.randomUUID(),
    } as const
    const keys = new Map<string, string>(Object.entries(METADATA_KEYS))
    const pairs = Object.entries(item).map(([field, value]) => `${keys.get(field)} ${base64(value)}`)
    expect(Object.keys({ ...item, size: 5 }).toSorted()).toEqual(Object.keys(NewItem.entries).toSorted())
    expect(v.parse(NewItem, newItemOf(parseMetadata(pairs.join()), 5))).toEqual({ ...item, size: 5 })
  })

  for (const [what, header] of [
    ['a value that is no base 64', 'filename ä'],
    ['a value that is no UTF-8', `filename ${Buffer.from([0xff]).toString('base64')}`],
    ['a key twice', `filename ${base64('a')},filename ${base64('b')}`],
    ['an empty pair', `filename ${base64('a')},`],
    ['three words', `filename ${base64('a')} b`],
    ['more than 8,192 characters', `filename ${'a'.repeat(8192)}`],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => parseMetadata(header)).toThrow(/^Upload-Metadata/)
    })
  }
})

describe('the headers of tus', () => {
  it('take whole numbers of bytes only', () => {
    expect(parseByteCount('0', 'Upload-Offset')).toBe(0)
    expect(parseByteCount('1073741824', 'Upload-Offset')).toBe(2 ** 30)
    for (const bad of [undefined, '', '-1', '1.5', '1e3', '01', ' 1', '9'.repeat(20)]) {
      expect(() => parseByteCount(bad, 'Upload-Offset')).toThrow('Upload-Offset must be a whole number')
    }
  })

  it('tell a client of another version which one is spoken', () => {
    requireTusVersion('1.0.0')
    for (const other of [undefined, '0.2.2', '2.0.0']) {
      const refused = expect(() => requireTusVersion(other))
      refused.toThrow(expect.objectContaining({ status: 412, headers: { 'Tus-Version': '1.0.0' } }))
    }
  })
})
