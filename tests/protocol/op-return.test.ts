import { Script } from '@scure/btc-signer/script.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { opReturnData, pushPrefix, readOpReturn, writeOpReturn } from '../../protocol/op-return.ts'

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array(0)
const pushes = (hex: string): string[] | undefined => readOpReturn(bytes(hex))?.map(toHex)

/** What follows OP_RETURN as @scure/btc-signer reads it; `undefined` where it can't, as for a push cut short. */
function decodeElsewhere(script: Uint8Array): (string | number | Uint8Array)[] | undefined {
  try {
    return Script.decode(script).slice(1)
  } catch {
    return undefined
  }
}

describe('an OP_RETURN script', () => {
  it.each([
    ['a direct push', '6a03abcdef', ['abcdef']],
    ['PUSHDATA1, PUSHDATA2 and PUSHDATA4', '6a4c01aa4d0100bb4e01000000cc', ['aa', 'bb', 'cc']],
    ['OP_0 as the empty text', '6a00', ['']],
    ['OP_1 to OP_16 as their number', '6a515a60', ['01', '0a', '10']],
    ['OP_1NEGATE as 0x81', '6a4f', ['81']],
    ['several pushes in order', '6a01aa02bbcc00', ['aa', 'bbcc', '']],
    ['nothing pushed', '6a', []],
  ])('gives %s', (_, hex, expected) => expect(pushes(hex)).toEqual(expected))

  it.each([
    ['it ends inside a push', '6a03abcd'],
    ['it ends inside a length', '6a4d01'],
    ['a push is longer than any script', '6a4effffffff00'],
    ['it holds OP_RESERVED', '6a01aa50'],
    ['it holds an opcode above OP_16', '6a01aa61'],
    ['it is no OP_RETURN script', '76a914'],
    ['it is empty', ''],
  ])('gives nothing when %s', (_, hex) => expect(pushes(hex)).toBeUndefined())

  it('is written with the shortest push, and read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000 }), (data) => {
        const script = writeOpReturn(data)
        expect(readOpReturn(script)?.map(toHex)).toEqual([toHex(data)])
      }),
      { numRuns: 200 },
    )
    const sizes: [number, number][] = [
      [75, 1],
      [76, 2],
      [255, 2],
      [256, 3],
      [65_535, 3],
      [65_536, 5],
      [102_480, 5],
    ]
    for (const [length, prefix] of sizes) {
      expect(pushPrefix(length)).toHaveLength(prefix)
      expect(readOpReturn(writeOpReturn(new Uint8Array(length)))?.[0]).toHaveLength(length)
    }
  })

  it('is read as @scure/btc-signer reads it, where that can', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => {
        const script = concatBytes([Uint8Array.of(0x6a), tail])
        const words = decodeElsewhere(script)
        if (!words) return
        const ours = readOpReturn(script)
        if (!ours) {
          expect(words.every((word) => word instanceof Uint8Array)).toBe(false)
          return
        }
        const theirs = words.map((word) => {
          if (word instanceof Uint8Array) return toHex(word)
          if (typeof word === 'number') return word === 0 ? '' : word === -1 ? '81' : toHex(Uint8Array.of(word))
          return word === 'OP_0'
            ? ''
            : word === '1NEGATE'
              ? '81'
              : toHex(Uint8Array.of(Number(word.replace('OP_', ''))))
        })
        expect(ours.map(toHex)).toEqual(theirs)
      }),
      { numRuns: 5_000 },
    )
  })

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (tail) => {
        readOpReturn(concatBytes([Uint8Array.of(0x6a), tail]))
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('the data of a transaction', () => {
  it('is every push of every output that has any, in order', () => {
    const scripts = ['6a01aa02bbcc', '76a914', '6a03ab', '6a00', '6a01dd'].map(bytes)
    expect(opReturnData(scripts)?.map(toHex)).toEqual(['aa', 'bbcc', 'dd'])
  })

  it('is none when no byte is pushed', () => {
    for (const scripts of [[], ['6a'], ['6a00', '6a0000'], ['6a03ab'], ['76a914']]) {
      expect(opReturnData(scripts.map(bytes))).toBeUndefined()
    }
  })
})
