import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { readFile } from '../../../../../worker/content/ipfs/dag/read-file.ts'
import { MemoryBudget, memoryOf } from '../../../../../worker/platform/flow/memory-budget.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { openSource } from '../open-source.ts'

it('a large file takes memory for two of its pieces while it is read, and gives it back where the reader leaves', async () => {
  const dag = new DagFixture()
  const cid = await dag.addFile(randomBytes(3_000_000))
  await dag.store()
  const budget = new MemoryBudget(8 << 20)
  const source = { ...openSource(), take: memoryOf(undefined, budget) }
  const node = await source.read(cid)
  if (node.kind !== 'file') throw new Error('it is no file')

  const whole = readFile(source, node, { start: 0, end: 2_999_999 })
  const first = await whole.next()
  expect(first.done).toBe(false)
  const piece = first.value?.length ?? 0
  expect(budget.used).toBe(2 * piece)
  await whole.return(undefined)
  expect(budget.used).toBe(0)

  const part = readFile(source, node, { start: 0, end: 99 })
  await part.next()
  expect(budget.used).toBe(0)
  await part.return(undefined)
})

const MIB = 1 << 20

/** Reads a file from its beginning, `without` so many bytes at its end. */
async function readFrom(cid: CID, without: number, see: (bytes: Uint8Array) => void) {
  const source = openSource()
  const node = await source.read(cid)
  if (node.kind !== 'file') throw new Error('it is no file')
  let length = 0
  for await (const bytes of readFile(source, node, { start: 0, end: node.size - 1 - without })) {
    length += bytes.length
    see(bytes)
  }
  expect(length).toBe(node.size - without)
}

it('of a file of more than 16 MiB no block stays in memory once it was sent, but for one that comes again', async () => {
  const dag = new DagFixture()
  const twin = randomBytes(MIB)
  const cid = await dag.addFile(Buffer.concat([randomBytes(15 * MIB), twin, randomBytes(2 * MIB), twin]))
  await dag.store()
  const given: Uint8Array[] = []
  await readFrom(cid, 0, (bytes) => {
    given.push(bytes)
    expect(given.slice(1, -1).filter(({ length }) => length > 0)).toEqual([])
  })
  expect(given.map(({ length }) => length > 0)).toEqual([true, ...Array(17).fill(false), true])
})

it('a block that has both bytes and links is read to the end of the range', async () => {
  const dag = new DagFixture()
  const leaf = await dag.putBlock(0x55, randomBytes(2 * MIB))
  const link = (cid: CID) => ({ Name: '', Tsize: 0, Hash: cid })
  const inner = new UnixFS({
    type: 'file',
    data: randomBytes(300_000),
    blockSizes: Array<bigint>(9).fill(BigInt(2 * MIB)),
  })
  const links = Array.from({ length: 9 }, () => link(leaf))
  const middle = await dag.putBlock(dagPb.code, dagPb.encode({ Data: inner.marshal(), Links: links }))
  const outer = new UnixFS({ type: 'file', blockSizes: [BigInt(2 * MIB), BigInt(300_000 + 18 * MIB)] })
  const root = await dag.putBlock(
    dagPb.code,
    dagPb.encode({ Data: outer.marshal(), Links: [link(leaf), link(middle)] }),
  )
  await dag.store()
  await readFrom(root, 100_000, () => {})
})
