import { renamed } from '../../../reader/unixfs/pb-links.ts'
import { shardPrefixLength } from '../../../reader/unixfs/shard-prefix.ts'
import type { DirectoryLink } from '../../../reader/unixfs/unixfs-node.ts'
import { readAhead } from '../../flow/read-ahead.ts'
import { cidKey } from '../blocks/block-key.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import type { DagNode } from './dag-node.ts'
import { readShard, type ShardNode } from './find-in-shard.ts'
import { invalidDag } from './invalid-dag.ts'

export type DirectoryNode = Extract<DagNode, { kind: 'directory' | 'shard' }>

const MAX_DEPTH = 13

/**
 * Every shard below the root once, depth first, a few blocks ahead of the reader: where a name is in a sharded
 * directory follows from its hash, so that the same shard in two places has nothing new to say.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* walkShards(
  source: BlockSource,
  shard: ShardNode,
  seen = new Set([cidKey(shard.cid)]),
  depth = 0,
): AsyncGenerator<ShardNode> {
  // 64 bits of hash at 3 bits a level at the least are 21 levels; what needs more than 13 is built to hurt.
  if (depth > MAX_DEPTH) throw invalidDag(shard.cid, 'is a sharded directory that is too deep')
  const children = shard.links.filter(({ name, cid }) => {
    const key = cidKey(cid)
    if (name.length !== shardPrefixLength(shard.fanout) || seen.has(key)) return false
    seen.add(key)
    return true
  })
  for await (const child of readAhead(children, source.ahead, ({ cid }) => readShard(source, cid, shard.fanout))) {
    yield child
    yield* walkShards(source, child, seen, depth + 1)
  }
}

/** The entries of one shard, under their own names. */
export function shardEntries(shard: ShardNode): DirectoryLink[] {
  const length = shardPrefixLength(shard.fanout)
  return shard.links.filter((link) => link.name.length > length).map((link) => renamed(link, link.name.slice(length)))
}

/** Up to `limit` entries of a directory, by name; `more` when there are others. No entry's own block is read. */
export async function listDirectory(
  source: BlockSource,
  node: DirectoryNode,
  limit: number,
): Promise<{ entries: DirectoryLink[]; more: boolean }> {
  const entries = node.kind === 'directory' ? [...node.links] : shardEntries(node)
  if (node.kind === 'shard') {
    for await (const shard of walkShards(source, node)) {
      entries.push(...shardEntries(shard))
      if (entries.length > limit) break
    }
  }
  const more = entries.length > limit
  const shown = entries.slice(0, limit).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { entries: shown, more }
}
