import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubleSha256 } from '../../../../worker/chain/rpc/double-sha256.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

describe('the double SHA-256', () => {
  it('is that of the standard for every length, one after another', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_500, size: 'max' }), (bytes) => {
        expect(doubleSha256(bytes)).toEqual(new Uint8Array(sha256(sha256(bytes))))
      }),
    )
  })

  it('is the same on both sides of the length from which on it is made natively', () => {
    for (const length of [0, 55, 56, 63, 64, 65, 1_023, 1_024, 1_025]) {
      const bytes = new Uint8Array(length).fill(length & 0xff)
      expect(doubleSha256(bytes)).toEqual(new Uint8Array(sha256(sha256(bytes))))
    }
  })

  it('of the genesis block’s header is its hash, read backwards', () => {
    const header = `01000000${'00'.repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c`
    const hash = doubleSha256(Uint8Array.fromHex(header)).reverse().toHex()
    expect(hash).toBe('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f')
  })
})
