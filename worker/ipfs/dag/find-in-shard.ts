import type { CID } from 'multiformats/cid'
import { renamed } from '../../../reader/unixfs/pb-links.ts'
import { shardPrefixes } from '../../../reader/unixfs/shard-prefix.ts'
import type { DirectoryLink } from '../../../reader/unixfs/unixfs-node.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { type DagNode, readNode } from './dag-node.ts'
import { invalidDag } from './invalid-dag.ts'

export type ShardNode = Extract<DagNode, { kind: 'shard' }>

/** What a name led to in a sharded directory, and the blocks of the shards on the way (without the root's). */
export interface ShardMatch {
  link: DirectoryLink | undefined
  shards: { cid: CID; block: Uint8Array }[]
}

/**
 * Looks one name up in a HAMT directory: one block a level.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function findInShard(source: BlockSource, root: ShardNode, name: string): Promise<ShardMatch> {
  const shards: ShardMatch['shards'] = []
  let shard = root
  for (const prefix of await shardPrefixes(name, root.fanout)) {
    const exact = shard.links.find((link) => link.name === prefix + name)
    if (exact) return { link: renamed(exact, name), shards }
    const deeper = shard.links.find((link) => link.name === prefix)
    if (!deeper) return { link: undefined, shards }
    shard = await readShard(source, deeper.cid, root.fanout)
    shards.push({ cid: deeper.cid, block: shard.block })
  }
  throw invalidDag(shard.cid, 'is a sharded directory deeper than its hash has bits')
}

/** A shard below the root. @throws {AppError} 422 when it is none, or of another fanout. */
export async function readShard(source: BlockSource, cid: CID, fanout: number): Promise<ShardNode> {
  const node = await readNode(source, cid)
  if (node.kind === 'shard' && node.fanout === fanout) return node
  throw invalidDag(cid, 'is no shard of its directory')
}
