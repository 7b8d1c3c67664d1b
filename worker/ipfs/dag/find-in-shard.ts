import { murmur364 } from '@multiformats/murmur3'
import type { CID } from 'multiformats/cid'
import type { BlockSource } from '../blocks/block-store.ts'
import { type DagNode, type DirectoryLink, readNode } from './dag-node.ts'
import { invalidDag } from './invalid-dag.ts'

export type ShardNode = Extract<DagNode, { kind: 'shard' }>

/** What a name led to in a sharded directory, and the blocks of the shards on the way (without the root's). */
export interface ShardMatch {
  link: DirectoryLink | undefined
  shards: { cid: CID; block: Uint8Array }[]
}

/**
 * Looks one name up in a HAMT directory: one block a level (UnixFS specification, `HAMTDirectory`: the first 64
 * bits of murmur3-x64-128 of the name, log2(fanout) bits a level, most significant first).
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function findInShard(source: BlockSource, root: ShardNode, name: string): Promise<ShardMatch> {
  const bits = Math.log2(root.fanout)
  const hash = BigInt(`0x${Buffer.from(await murmur364.encode(new TextEncoder().encode(name))).toString('hex')}`)
  const shards: ShardMatch['shards'] = []
  let shard = root
  for (let used = bits; used <= 64; used += bits) {
    const bucket = Number((hash >> BigInt(64 - used)) & BigInt(root.fanout - 1))
    const prefix = bucketPrefix(bucket, root.fanout)
    const exact = shard.links.find((link) => link.name === prefix + name)
    if (exact) return { link: { ...exact, name }, shards }
    const deeper = shard.links.find((link) => link.name === prefix)
    if (!deeper) return { link: undefined, shards }
    shard = await readShard(source, deeper.cid, root.fanout)
    shards.push({ cid: deeper.cid, block: shard.block })
  }
  throw invalidDag(shard.cid, 'is a sharded directory deeper than its hash has bits')
}

/** How many hex digits every link name of a shard begins with. */
export function prefixLength(fanout: number): number {
  return (fanout - 1).toString(16).length
}

function bucketPrefix(bucket: number, fanout: number): string {
  return bucket.toString(16).toUpperCase().padStart(prefixLength(fanout), '0')
}

/** A shard below the root. @throws {AppError} 422 when it is none, or of another fanout. */
export async function readShard(source: BlockSource, cid: CID, fanout: number): Promise<ShardNode> {
  const node = await readNode(source, cid)
  if (node.kind === 'shard' && node.fanout === fanout) return node
  throw invalidDag(cid, 'is no shard of its directory')
}
