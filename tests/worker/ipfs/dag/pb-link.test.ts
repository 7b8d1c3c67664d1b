import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, it } from 'vitest'
import { pbLinks } from '../../../../worker/ipfs/dag/decode-pb.ts'

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => create(0x12, bytes))
const cid = fc.oneof(
  digest.map((hash) => CID.createV0(hash)),
  fc.tuple(fc.constantFrom(0x55, 0x70, 0x71), digest).map(([code, hash]) => CID.createV1(code, hash)),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => CID.createV1(0x55, create(0, bytes))),
)
const link = fc.record({
  Name: fc.string({ unit: 'grapheme', maxLength: 10 }),
  Tsize: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  Hash: cid,
})
const ROOT = CID.parse('bafkqaaa')

async function linksOf(block: Uint8Array) {
  const links = []
  for await (const portion of pbLinks(ROOT, block)) links.push(...portion)
  return links.map(({ name, cid: child, size }) => ({ name, size, cid: String(child) }))
}

function linksByLibrary(block: Uint8Array) {
  return dagPb
    .decode(block)
    .Links.map(({ Name = '', Hash, Tsize }) => ({ name: Name, size: Tsize, cid: Hash.toString() }))
}

it('the links of a block are those that the DAG-PB library finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 5 }), async (Links) => {
      const block = dagPb.encode(dagPb.prepare({ Data: new Uint8Array([8, 1]), Links }))
      expect(await linksOf(block)).toEqual(linksByLibrary(block))
    }),
  )
})

it('a block with a byte changed has the links that the library finds, or none for both', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(link, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat(255), async (Links, at, byte) => {
      const block = dagPb.encode(dagPb.prepare({ Data: new Uint8Array(), Links }))
      block[at % block.length] = byte
      let expected: ReturnType<typeof linksByLibrary>
      try {
        expected = linksByLibrary(block)
      } catch {
        return
      }
      expect(await linksOf(block).catch(() => expected)).toEqual(expected)
    }),
  )
})
