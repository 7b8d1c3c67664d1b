import type { CID } from 'multiformats/cid'
import { shardPrefixes } from '../unixfs/shard-prefix.ts'
import type { BlockSource } from './block-source.ts'
import { decodeNode, invalidDag, type ShardNode } from './dag-node.ts'

/** The entry `name` of a HAMT directory: one block a level. @throws {ReaderError} as {@link readShard} does. */
export async function findInShard(source: BlockSource, root: ShardNode, name: string): Promise<CID | undefined> {
  let shard = root
  for (const prefix of await shardPrefixes(name, root.fanout)) {
    const exact = shard.links.find((link) => link.name === prefix + name)
    if (exact) return exact.cid
    const deeper = shard.links.find((link) => link.name === prefix)
    if (!deeper) return undefined
    shard = await readShard(source, deeper.cid, root.fanout)
  }
  throw invalidDag(shard.cid, 'is a sharded directory deeper than its hash has bits')
}

/** A shard below the root. @throws {ReaderError} where it is none, or of another fanout. */
export async function readShard(source: BlockSource, cid: CID, fanout: number): Promise<ShardNode> {
  const node = await decodeNode(cid, await source.get(cid))
  if (node.kind === 'shard' && node.fanout === fanout) return node
  throw invalidDag(cid, 'is no shard of its directory')
}
