import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../protocol/bytes.ts'
import { MAX_SITE_BLOCKS, siteRoot } from '../../protocol/site-root.ts'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import { verifiedCar } from '../../reader/ipfs/verified-car.ts'
import { carOf } from '../kit/car-of.ts'

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest())
const read = (car: Uint8Array) => verifiedCar(car, blockHashes(sha256), 4 << 20)
const FILES = { 'index.html': '<h1>home</h1>', 'app/main.js': 'run()', 'a.txt': 'a' }

/** A CAR with bytes of it replaced, taken out, put in or repeated. */
const mutated = (car: Uint8Array) =>
  fc
    .record({
      act: fc.constantFrom('replace', 'insert', 'remove', 'repeat'),
      at: fc.nat(car.length),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 70 }),
    })
    .map(({ act, at, bytes }) => {
      const [before, behind] = [car.subarray(0, at), car.subarray(at + bytes.length)]
      if (act === 'insert') return concatBytes([before, bytes, car.subarray(at)])
      if (act === 'remove') return concatBytes([before, behind])
      if (act === 'repeat') return concatBytes([car.subarray(0, at + bytes.length), car.subarray(at)])
      return concatBytes([before, bytes, behind])
    })

describe('a CAR', () => {
  it('of more blocks than a website may have is refused, a repeated block counted each time', async () => {
    const section = concatBytes([Uint8Array.of(36, 1, 0x55, 0x12, 0x20), sha256(new Uint8Array(0))])
    const header = (await carOf(FILES)).subarray(0, 59)
    const blocksOf = async (sections: number) =>
      (await read(concatBytes([header, ...Array(sections).fill(section)])))?.size
    expect([await blocksOf(MAX_SITE_BLOCKS), await blocksOf(MAX_SITE_BLOCKS + 1)]).toEqual([1, undefined])
  })
})

describe('a CAR that was altered', () => {
  it('gives no block that is not what its CID says, however it was altered, and often nothing at all', async () => {
    const car = await carOf(FILES)
    const blocks = await read(car)
    let refused = 0
    await fc.assert(
      fc.asyncProperty(mutated(car), async (bytes) => {
        const found = await read(bytes)
        if (!found) refused++
        for (const { cid, bytes: block } of found?.values() ?? []) {
          expect(Buffer.compare(sha256(block), cid.multihash.digest)).toBe(0)
          const known = blocks?.get(String(cid))
          if (known) expect(Buffer.compare(block, known.bytes)).toBe(0)
        }
      }),
      { numRuns: 10_000 },
    )
    expect(refused).toBeGreaterThan(9_000)
  })

  it('begins like a website only with the header of one root of SHA-256', async () => {
    const car = await carOf(FILES)
    expect(siteRoot(car)).toHaveLength(36)
    for (let at = 0; at < 59; at++) {
      const altered = car.map((byte, index) => (index === at ? byte ^ 1 : byte))
      // The digest may be any.
      expect([at, siteRoot(altered) !== undefined]).toEqual([at, at >= 18 && at < 50])
      expect(siteRoot(car.subarray(0, at))).toBeUndefined()
    }
  })
})
