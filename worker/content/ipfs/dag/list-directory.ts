import type { DirectoryNode } from '../../../../reader/unixfs/dag.ts'
import { listEntries } from '../../../../reader/unixfs/directory.ts'
import type { DirectoryLink } from '../../../../reader/unixfs/unixfs-node.ts'
import { SeenCids } from '../blocks/block-key.ts'
import type { DagSource } from './dag-source.ts'

/**
 * Up to `limit` entries of a directory, by name; `more` when there are others. No entry's own block is read.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function listDirectory(
  source: DagSource,
  node: DirectoryNode,
  limit: number,
): Promise<{ entries: DirectoryLink[]; more: boolean }> {
  const entries: DirectoryLink[] = []
  for await (const some of listEntries(source, node, new SeenCids(node.cid))) {
    entries.push(...some)
    if (entries.length > limit) break
  }
  const more = entries.length > limit
  const shown = entries.slice(0, limit).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { entries: shown, more }
}
