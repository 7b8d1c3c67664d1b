import type { CID } from 'multiformats/cid'
import type { CarRequest } from '../../reader/ipfs/car-reader.ts'
import type { IpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import type { FileNode, UnixfsBlock } from '../../reader/unixfs/dag.ts'
import { findEntry } from '../../reader/unixfs/directory.ts'
import { dagKey } from './dag-bounds.ts'
import type { DagReader } from './read-file.ts'

const INDEX = 'index.html'

/** The directories of a site that were read, each decoded and counted once. */
export class SiteFolders {
  readonly #root: CID
  readonly #nodes = new Map<string, UnixfsBlock>()

  constructor(root: CID) {
    this.#root = root
  }

  /** What to request first to read the file at a path: it begins behind the directories that are known. */
  plan(names: readonly string[]): CarRequest {
    const scope = names.at(-1)?.includes('.') ? 'entity' : 'block'
    let root = this.#root
    for (const [index, name] of names.entries()) {
      const node = this.#nodes.get(dagKey(root))
      const link = node?.kind === 'directory' && node.links.find((one) => one.name === name)
      if (!link) return { root, names: names.slice(index), scope }
      root = link.cid
    }
    return { root, names: [], scope }
  }

  /**
   * The file at a path, or the index.html of the directory there, and its path; undefined if there is neither. Only the
   * blocks of the path are read, in sharded directories too.
   * @throws {ReaderError} if a block is not available
   */
  async find(reader: DagReader, { names }: Pick<IpfsPath, 'names'>): Promise<FoundPage | undefined> {
    let cid: CID | undefined = this.#root
    for (const name of names) {
      cid = await this.#child(reader, cid, name)
      if (!cid) return undefined
    }
    const node = await this.#read(reader, cid)
    if (node.kind === 'file') {
      if (node.parts.length > 0) reader.expect({ root: cid, names: [], scope: 'entity' })
      return { names, node }
    }
    const index = await this.#child(reader, cid, INDEX, true)
    const page = index && (await this.#read(reader, index))
    return page?.kind === 'file' ? { names: [...names, INDEX], node: page } : undefined
  }

  async #child(reader: DagReader, parent: CID, name: string, expected = false): Promise<CID | undefined> {
    const node = await this.#read(reader, parent)
    if (node.kind !== 'directory' && node.kind !== 'shard') return undefined
    if (expected && node.kind === 'shard') reader.expect({ root: parent, names: [name], scope: 'entity' })
    const dag = { ...dagOf(reader), read: (cid: CID) => this.#read(reader, cid) }
    const { link } = await findEntry(dag, node, name)
    if (link && expected && node.kind === 'directory') reader.expect({ root: link.cid, names: [], scope: 'entity' })
    return link?.cid
  }

  async #read(reader: DagReader, cid: CID): Promise<UnixfsBlock> {
    const key = dagKey(cid)
    const known = this.#nodes.get(key)
    if (known) return known
    const node = await reader.blocks.read(cid)
    if (node.kind === 'directory' || node.kind === 'shard') this.#nodes.set(key, node)
    return node
  }
}

/** A file and its path. */
interface FoundPage {
  names: readonly string[]
  node: FileNode
}

function dagOf({ blocks: { ahead, maxDepth, invalid } }: DagReader) {
  return { ahead, maxDepth, invalid }
}
