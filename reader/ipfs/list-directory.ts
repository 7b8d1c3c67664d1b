import { ReaderError } from '../reader-error.ts'
import type { DirectoryNode, FileNode } from '../unixfs/dag.ts'
import { listEntries } from '../unixfs/directory.ts'
import type { BlockSource } from './block-source.ts'

/** A file below a directory. */
export interface FoundFile {
  /** Relative to the directory, with slashes. */
  path: string
  node: FileNode
}

/** Every file below a directory, with its path. @throws {ReaderError} `too_large` beyond `maxEntries`. */
export async function* walkDirectory(source: BlockSource, root: DirectoryNode): AsyncGenerator<FoundFile> {
  const { maxDepth, maxEntries } = source.limits
  let entries = 0
  const visit = async function* (node: DirectoryNode, prefix: string, depth: number): AsyncGenerator<FoundFile> {
    if (depth > maxDepth) throw source.invalid(node.cid, 'is a directory that is too deep')
    for await (const links of listEntries(source, node)) {
      for (const { name, cid } of links) {
        if (++entries > maxEntries) {
          throw new ReaderError('too_large', `The directory has more than ${maxEntries} entries.`)
        }
        // It may become a path on a user's disk.
        if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
          throw source.invalid(node.cid, `has an entry with the impossible name ${JSON.stringify(name.slice(0, 80))}`)
        }
        const child = await source.read(cid)
        if (child.kind === 'file') yield { path: prefix + name, node: child }
        else if (child.kind !== 'symlink') yield* visit(child, `${prefix}${name}/`, depth + 1)
      }
    }
  }
  yield* visit(root, '', 0)
}
