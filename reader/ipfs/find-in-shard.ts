import { murmur364 } from '@multiformats/murmur3'
import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'
import type { BlockSource } from './block-source.ts'
import { decodeNode, invalidDag, type ShardNode } from './dag-node.ts'

/**
 * The entry `name` of a HAMT directory: one block a level (UnixFS specification, `HAMTDirectory`: the first 64 bits of
 * murmur3-x64-128 of the name, log2(fanout) bits a level, most significant first).
 */
export async function findInShard(source: BlockSource, root: ShardNode, name: string): Promise<CID | undefined> {
  const bits = Math.log2(root.fanout)
  const hash = BigInt(`0x${toHex(await murmur364.encode(new TextEncoder().encode(name)))}`)
  let shard = root
  for (let used = bits; used <= 64; used += bits) {
    const bucket = Number((hash >> BigInt(64 - used)) & BigInt(root.fanout - 1))
    const prefix = bucket.toString(16).toUpperCase().padStart(prefixLength(root.fanout), '0')
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
  const node = decodeNode(cid, await source.get(cid))
  if (node.kind === 'shard' && node.fanout === fanout) return node
  throw invalidDag(cid, 'is no shard of its directory')
}

/** How many hex digits each link name of a shard begins with. */
export function prefixLength(fanout: number): number {
  return (fanout - 1).toString(16).length
}
