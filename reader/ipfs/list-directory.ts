import type { CID } from 'multiformats/cid'
import { ReaderError } from '../reader-error.ts'
import { renamed } from '../unixfs/pb-links.ts'
import { shardPrefixLength } from '../unixfs/shard-prefix.ts'
import type { DirectoryLink } from '../unixfs/unixfs-node.ts'
import type { BlockSource } from './block-source.ts'
import { type DagNode, decodeNode, type FileNode, invalidDag } from './dag-node.ts'
import { readShard } from './find-in-shard.ts'
import type { IpfsLimits } from './ipfs-limits.ts'
import type { NodeBudget } from './read-file.ts'

export type DirectoryNode = Extract<DagNode, { kind: 'directory' | 'shard' }>

/** A file below a directory. */
export interface FoundFile {
  /** Relative to the directory, with slashes. */
  path: string
  node: FileNode
}

export interface ListOptions {
  limits: IpfsLimits
  budget: NodeBudget
}

/** The entries of a directory, sharded or not, in the order they are stored. */
export async function* listDirectory(
  source: BlockSource,
  node: DirectoryNode,
  { limits, budget }: ListOptions,
): AsyncGenerator<DirectoryLink> {
  if (node.kind === 'directory') {
    yield* node.links
    return
  }
  const { fanout } = node
  const prefix = shardPrefixLength(fanout)
  const visit = async function* (
    links: readonly DirectoryLink[],
    at: CID,
    depth: number,
  ): AsyncGenerator<DirectoryLink> {
    if (depth > limits.maxDepth) throw invalidDag(at, `is more than ${limits.maxDepth} levels deep`)
    for (const link of links) {
      if (link.name.length > prefix) yield renamed(link, link.name.slice(prefix))
      else {
        // A shard that is linked again is counted again: eight blocks can stand for 256 to the power of seven.
        budget.spend()
        yield* visit((await readShard(source, link.cid, fanout)).links, link.cid, depth + 1)
      }
    }
  }
  yield* visit(node.links, node.cid, 0)
}

/** Every file below a directory, with its path. @throws {ReaderError} `too_large` beyond `maxEntries`. */
export async function* walkDirectory(
  source: BlockSource,
  root: DirectoryNode,
  options: ListOptions,
): AsyncGenerator<FoundFile> {
  let entries = 0
  const visit = async function* (node: DirectoryNode, prefix: string, depth: number): AsyncGenerator<FoundFile> {
    if (depth > options.limits.maxDepth) throw invalidDag(node.cid, 'is a directory that is too deep')
    for await (const { name, cid } of listDirectory(source, node, options)) {
      if (++entries > options.limits.maxEntries) {
        throw new ReaderError('too_large', `The directory has more than ${options.limits.maxEntries} entries.`)
      }
      // It may become a path on somebody's disk.
      if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
        throw invalidDag(node.cid, `has an entry with the impossible name ${JSON.stringify(name.slice(0, 80))}`)
      }
      options.budget.spend()
      const child = await decodeNode(cid, await source.get(cid))
      if (child.kind === 'file') yield { path: prefix + name, node: child }
      else if (child.kind !== 'symlink') yield* visit(child, `${prefix}${name}/`, depth + 1)
    }
  }
  yield* visit(root, '', 0)
}
