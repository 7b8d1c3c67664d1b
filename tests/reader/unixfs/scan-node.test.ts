import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { InvalidNodeError, MAX_LINKS, scanNode, scanPb } from '../../../reader/unixfs/scan-node.ts'

const Hash = CID.parse('bafkqaaa')
const DIRECTORY = new UnixFS({ type: 'directory' })
const linksOf = (count: number) => Array.from({ length: count }, () => ({ Name: '', Hash, Tsize: 1 }))

function blockOf(unixfs: UnixFS, links = 0, order: dagPb.FieldOrder = 'links-first'): Uint8Array {
  return dagPb.encode({ Data: unixfs.marshal(), Links: linksOf(links) }, { fieldOrder: order })
}

/** A dag-pb block whose UnixFS message has these bytes behind it. */
function blockWith(unixfs: UnixFS, more: readonly number[], links: number): Uint8Array {
  return dagPb.encode({ Data: new Uint8Array([...unixfs.marshal(), ...more]), Links: linksOf(links) })
}

describe('what is found before a link is decoded', () => {
  it.each(['links-first', 'data-first'] as const)('is where the links stand, %s', (order) => {
    const block = blockOf(DIRECTORY, 3, order)
    const { head, bounds } = scanNode(block)
    expect(head).toEqual({ kind: 'directory' })
    expect(bounds).toHaveLength(4)
    expect(dagPb.decode(block.subarray(bounds[1], bounds[3])).Links).toHaveLength(2)
  })

  it.each([MAX_LINKS, MAX_LINKS + 1])('is that there are %i links', (count) => {
    const scan = () => scanPb(blockOf(DIRECTORY, count)).bounds.length - 1
    if (count <= MAX_LINKS) expect(scan()).toBe(count)
    else expect(scan).toThrow(InvalidNodeError)
  })

  it.each([8, 9])('is that a shard of eight places has %i links', (count) => {
    const block = blockOf(new UnixFS({ type: 'hamt-sharded-directory', fanout: 8n }), count)
    if (count <= 8) expect(scanNode(block).head).toEqual({ kind: 'shard', fanout: 8 })
    else expect(() => scanNode(block)).toThrow('more links than its fanout')
  })

  it.each([0n, 4n, 12n, 2048n])('is that a shard can not have %i places', (fanout) => {
    expect(() => scanNode(blockOf(new UnixFS({ type: 'hamt-sharded-directory', fanout })))).toThrow('impossible fanout')
  })

  it('is how long the parts of a file are, one by one and packed', () => {
    const file = new UnixFS({ type: 'file', data: new Uint8Array(5) })
    const [ONE_BY_ONE, PACKED] = [0x20, 0x22]
    for (const lengths of [
      [ONE_BY_ONE, 7, ONE_BY_ONE, 9],
      [PACKED, 2, 7, 9],
    ]) {
      expect(scanNode(blockWith(file, lengths, 2)).head).toMatchObject({ kind: 'file', size: 21, blockSizes: [7, 9] })
      for (const links of [1, 3]) expect(() => scanNode(blockWith(file, lengths, links))).toThrow(InvalidNodeError)
    }
  })

  it('is that a message has more fields than UnixFS has', () => {
    const block = blockWith(
      DIRECTORY,
      Array.from({ length: 200 }, () => 0x78),
      0,
    )
    expect(() => scanNode(block)).toThrow('more fields than UnixFS has')
  })

  it('is that a block is not dag-pb: data twice, links in two rows, another field, a cut', () => {
    const data = dagPb.encode({ Data: DIRECTORY.marshal(), Links: [] })
    const links = dagPb.encode({ Links: linksOf(1) })
    const row = (...parts: Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]))
    expect(scanNode(row(data, links)).bounds).toHaveLength(2)
    for (const wrong of [
      row(data, data),
      row(links, data, links),
      row(data, Uint8Array.of(0x18, 1)),
      links.subarray(0, 5),
    ]) {
      expect(() => scanNode(wrong)).toThrow('is not dag-pb')
    }
  })
})
