import type { CID } from 'multiformats/cid'
import { readAhead } from '../read-ahead.ts'
import type { CidSet, Dag, DirectoryNode, ShardNode } from './dag.ts'
import { renamed } from './pb-links.ts'
import { HASH_BITS, shardPrefixes, shardPrefixLength } from './shard-prefix.ts'
import type { DirectoryLink } from './unixfs-node.ts'

/** What a name led to in a directory, and the shards on the way (without the root). */
export interface EntryMatch {
  link: DirectoryLink | undefined
  shards: ShardNode[]
}

/** Looks one name up in a directory; a sharded one is read by one block a level. @throws what `dag` throws */
export async function findEntry(dag: Dag, root: DirectoryNode, name: string): Promise<EntryMatch> {
  const shards: ShardNode[] = []
  if (root.kind === 'directory') return { link: root.links.find((link) => link.name === name), shards }
  let shard = root
  for (const prefix of await shardPrefixes(name, root.fanout)) {
    const exact = shard.links.find((link) => link.name === prefix + name)
    if (exact) return { link: renamed(exact, name), shards }
    const deeper = shard.links.find((link) => link.name === prefix)
    if (!deeper) return { link: undefined, shards }
    shard = await readShard(dag, deeper.cid, root.fanout)
    shards.push(shard)
  }
  throw tooDeep(dag, shard)
}

/**
 * The entries of a directory under their own names, sharded or not, in the order of the blocks, in portions.
 * With `seen`, each shard is read once. No entry's own block is read. @throws what `dag` throws
 */
export async function* listEntries(
  dag: Dag,
  node: DirectoryNode,
  seen?: CidSet,
): AsyncGenerator<readonly DirectoryLink[], undefined> {
  if (node.kind === 'directory') yield node.links
  else for await (const step of walkShards(dag, node, seen)) if (!('kind' in step)) yield step
  return undefined
}

/**
 * The shards and entries below the root of a sharded directory, depth first in the order of links, read a few blocks ahead:
 * each shard, and consecutive entries together. The place of a name follows from its hash, so the same shard in two places
 * has no new entries: with `seen`, it is returned once. @throws what `dag` throws
 */
export async function* walkShards(
  dag: Dag,
  shard: ShardNode,
  seen?: CidSet,
  level = 1,
): AsyncGenerator<ShardNode | readonly DirectoryLink[], undefined> {
  if (level > HASH_BITS / Math.log2(shard.fanout)) throw tooDeep(dag, shard)
  const read = async (step: CID | DirectoryLink[]) =>
    Array.isArray(step) ? step : await readShard(dag, step, shard.fanout)
  for await (const step of readAhead(stepsOf(shard, seen), dag.ahead, read)) {
    yield step
    if ('kind' in step) yield* walkShards(dag, step, seen, level + 1)
  }
  return undefined
}

/** The CIDs of the shards below one, and between them the entries of its own. */
function* stepsOf({ fanout, links }: ShardNode, seen: CidSet | undefined): Generator<CID | DirectoryLink[], undefined> {
  const prefix = shardPrefixLength(fanout)
  let entries: DirectoryLink[] = []
  for (const link of links) {
    if (link.name.length > prefix) entries.push(renamed(link, link.name.slice(prefix)))
    if (link.name.length !== prefix) continue
    if (entries.length > 0) yield entries
    entries = []
    const { cid } = link
    if (seen?.add(cid) ?? true) yield cid
  }
  if (entries.length > 0) yield entries
  return undefined
}

async function readShard(dag: Dag, cid: CID, fanout: number): Promise<ShardNode> {
  const node = await dag.read(cid)
  if (node.kind === 'shard' && node.fanout === fanout) return node
  throw dag.invalid(cid, 'is no shard of its directory')
}

function tooDeep(dag: Dag, { cid }: ShardNode): Error {
  return dag.invalid(cid, 'is a sharded directory deeper than its hash has bits')
}
