import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { ReadAheadPermits } from '../../../reader/read-ahead.ts'
import type { Dag, ShardNode } from '../../../reader/unixfs/dag.ts'
import { findEntry, listEntries } from '../../../reader/unixfs/directory.ts'
import { shardPrefixes } from '../../../reader/unixfs/shard-prefix.ts'

const cidOf = (number: number) => CID.createV1(0x70, create(0x12, new Uint8Array(32).fill(number)))

/** Shards by number; a link's name leads to the shard of the number, or is an entry. */
type Shards = Record<number, [name: string, number: number][]>

function dagOf(shards: Shards, fanout = 256) {
  const read: number[] = []
  const dag: Dag = {
    async read(cid): Promise<ShardNode> {
      const number = cid.multihash.digest[0] ?? 0
      read.push(number)
      const links = (shards[number] ?? []).map(([name, child]) => ({ name, cid: cidOf(child), size: 1 }))
      return { kind: 'shard', cid, block: new Uint8Array(0), fanout, links }
    },
    ahead: new ReadAheadPermits(0),
    maxDepth: 32,
    invalid: (cid, problem) => new Error(`${cid} ${problem}`),
  }
  const root = async () => {
    const node = await dag.read(cidOf(0))
    if (node.kind !== 'shard') throw new Error('It is no shard.')
    return node
  }
  return { dag, read, root }
}

async function namesOf(dag: Dag, root: ShardNode, seen?: Parameters<typeof listEntries>[2]): Promise<string[]> {
  const names: string[] = []
  for await (const links of listEntries(dag, root, seen)) names.push(...links.map(({ name }) => name))
  return names
}

describe('a sharded directory', () => {
  it('lists its entries in the order of links, those of a shard where it is linked', async () => {
    const { dag, root } = dagOf({
      0: [
        ['00a', 9],
        ['01', 1],
        ['02b', 9],
        ['02c', 9],
        ['FF', 2],
      ],
      1: [['AAd', 9]],
      2: [
        ['00e', 9],
        ['01', 3],
      ],
      3: [['00f', 9]],
    })
    expect(await namesOf(dag, await root())).toEqual(['a', 'd', 'b', 'c', 'e', 'f'])
  })

  it('reads a shard once where it is remembered, and as often as it is linked where not', async () => {
    const shards: Shards = {}
    for (const number of [0, 1, 2]) {
      shards[number] = [
        ['00', number + 1],
        ['01', number + 1],
      ]
    }
    const once = dagOf(shards)
    const keys = new Set<string>()
    const seen = { add: (cid: CID) => !keys.has(`${cid}`) && keys.add(`${cid}`) !== undefined }
    await namesOf(once.dag, await once.root(), seen)
    expect(once.read).toEqual([0, 1, 2, 3])
    const often = dagOf(shards)
    await namesOf(often.dag, await often.root())
    expect(often.read).toHaveLength(1 + 2 + 4 + 8)
  })

  it.each([
    [8, 21],
    [256, 8],
    [1024, 6],
  ])('of %i links a shard has at most %i levels', async (fanout, levels) => {
    const prefix = '0'.repeat((fanout - 1).toString(16).length)
    const deep = (most: number) => {
      const shards: Shards = {}
      for (let number = 0; number < most - 1; number++) shards[number] = [[prefix, number + 1]]
      return dagOf(shards, fanout)
    }
    const { dag, root } = deep(levels)
    expect(await namesOf(dag, await root())).toEqual([])
    const deeper = deep(levels + 1)
    await expect(namesOf(deeper.dag, await deeper.root())).rejects.toThrow('deeper than its hash has bits')
  })

  it('leads to a name by one shard a level, and to nothing where a level has no way on', async () => {
    const [first = '', second = ''] = await shardPrefixes('cat.png', 256)
    const { dag, read, root } = dagOf({ 0: [[first, 1]], 1: [[`${second}cat.png`, 7]] })
    const found = await findEntry(dag, await root(), 'cat.png')
    expect(found.link).toMatchObject({ name: 'cat.png', size: 1 })
    expect(found.link?.cid.equals(cidOf(7))).toBe(true)
    expect(found.shards).toHaveLength(1)
    expect(read).toEqual([0, 1])
    expect((await findEntry(dag, await root(), 'dog.png')).link).toBeUndefined()
  })
})
