import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, it } from 'vitest'
import { decodeUnixfs } from '../../../reader/unixfs/pb-links.ts'
import { InvalidNodeError } from '../../../reader/unixfs/scan-node.ts'

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
const DIRECTORY = new UnixFS({ type: 'directory' }).marshal()

async function linksOf(block: Uint8Array) {
  const node = await decodeUnixfs(block)
  if (node.kind !== 'directory') throw new Error('It is no directory.')
  return node.links.map(({ name, cid: child, size }) => ({ name, size, cid: String(child) }))
}

function linksByLibrary(block: Uint8Array) {
  return dagPb
    .decode(block)
    .Links.map(({ Name = '', Hash, Tsize }) => ({ name: Name, size: Tsize, cid: Hash.toString() }))
}

it('the links of a block are those that the DAG-PB library finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 5 }), async (Links) => {
      const block = dagPb.encode(dagPb.prepare({ Data: DIRECTORY, Links }))
      expect(await linksOf(block)).toEqual(linksByLibrary(block))
    }),
  )
})

it('a block with a byte changed has the links that the library finds, or is no directory', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(link, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat(255), async (Links, at, byte) => {
      const block = dagPb.encode(dagPb.prepare({ Data: DIRECTORY, Links }))
      block[at % block.length] = byte
      const node = await decodeUnixfs(block).catch((error: unknown) => error)
      if (node instanceof InvalidNodeError || Object(node).kind !== 'directory') return
      expect(await linksOf(block)).toEqual(linksByLibrary(block))
    }),
  )
})

it('more links than a portion come in the order in which they are written, others having their turn between', async () => {
  const Hash = CID.parse('bafkqaaa')
  const Links = Array.from({ length: 600 }, (_, index) => ({
    Name: String(index).padStart(3, '0'),
    Hash,
    Tsize: index,
  }))
  const block = dagPb.encode(dagPb.prepare({ Data: DIRECTORY, Links }))
  let pauses = 0
  const node = await decodeUnixfs(block, async () => void pauses++)
  expect(node.kind === 'directory' && node.links.map(({ size }) => size)).toEqual(Links.map(({ Tsize }) => Tsize))
  expect(pauses).toBe(2)
})
