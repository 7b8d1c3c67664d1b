import { CID } from 'multiformats/cid'
import { ReaderError } from '../reader-error.ts'
import type { Dag, DirectoryNode, FileNode, UnixfsBlock } from '../unixfs/dag.ts'
import { findEntry, listEntries } from '../unixfs/directory.ts'
import { BlockSource, type IpfsReader } from './block-source.ts'

/** The parsed form of an IPFS path. */
export interface IpfsPath {
  root: CID
  names: string[]
}

const MAX_NAMES = 128

/** `<cid>[/path]`, also behind `ipfs://` and `/ipfs/`; percent-encoded names are decoded. @throws {ReaderError} */
export function parseIpfsPath(text: string): IpfsPath {
  const [first = '', ...rest] = text
    .trim()
    .replace(/^(ipfs:\/\/|\/ipfs\/)/, '')
    .split('/')
  const names = rest.filter((name) => name !== '').map(decode)
  if (names.length > MAX_NAMES) throw new ReaderError('invalid_source', `A path may have ${MAX_NAMES} names.`)
  try {
    return { root: CID.parse(first), names }
  } catch (cause) {
    throw new ReaderError('invalid_source', `${JSON.stringify(first.slice(0, 80))} is no content id (CID).`, cause)
  }
}

/** A file on IPFS, found by its verified blocks. */
export interface IpfsFile {
  cid: CID
  /** Bytes, according to its root; reading returns exactly as many, or throws. */
  size: number
  /** Verified bytes from `offset` on, up to `end`. To be read once. */
  stream(): AsyncGenerator<Uint8Array>
  /** Ends the download of a file that is not read. */
  close(): Promise<void>
}

/**
 * The file at a path, from byte `offset` to byte `end`, or to its own end; its bytes are fetched when they are read. One CAR is
 * requested for all of it, and blocks that it lacks one by one. @throws {ReaderError} `not_found`, `not_a_file`, `not_verified` …
 */
export async function openIpfsFile(reader: IpfsReader, text: string, offset = 0, end?: number): Promise<IpfsFile> {
  const { limits } = reader
  if (!Number.isSafeInteger(offset) || offset < 0) throw new ReaderError('invalid_source', 'offset must be 0 or more.')
  const path = parseIpfsPath(text)
  const source = new BlockSource(reader, { ...path, scope: 'entity', offset, end })
  try {
    const node = await resolvePath(source, path)
    if (node.kind !== 'file') throw new ReaderError('not_a_file', `${text} is a directory; name a file in it.`)
    if (node.size > limits.maxFileBytes) throw tooLarge(text, limits.maxFileBytes)
    const last = Math.min(end ?? node.size - 1, node.size - 1)
    const stream = () => streamFile(source, node, offset, last)
    return { cid: node.cid, size: node.size, stream, close: () => source.close() }
  } catch (error) {
    await source.close()
    throw error
  }
}

async function* streamFile(source: BlockSource, node: FileNode, offset: number, end: number) {
  let size = offset
  try {
    for await (const bytes of source.readFile(node, offset, end)) {
      size += bytes.length
      yield bytes
    }
    if (size !== Math.max(end + 1, offset)) {
      throw new ReaderError('incomplete', `${node.cid} ends at byte ${size}, and claims ${node.size} bytes.`)
    }
  } finally {
    await source.close()
  }
}

/** A file of a directory, with its verified bytes when they are read; a folder in which nothing is; or a symbolic link. */
export type IpfsEntry = (FoundFile & { stream(): AsyncGenerator<Uint8Array> }) | FoundOther

/**
 * Every file below a directory, with its empty folders and symbolic links, or the one file itself with the path ''. Each file
 * must be read before the next entry is requested.
 */
export async function* walkIpfs(reader: IpfsReader, text: string): AsyncGenerator<IpfsEntry> {
  const { limits } = reader
  const path = parseIpfsPath(text)
  const source = new BlockSource(reader, { ...path, scope: 'all' })
  const entry = (found: FoundFile | FoundOther): IpfsEntry => {
    if (found.kind !== 'file') return found
    const stream = () => {
      if (found.node.size > limits.maxFileBytes) throw tooLarge(found.path, limits.maxFileBytes)
      return source.readFile(found.node, 0)
    }
    return { ...found, stream }
  }
  try {
    const node = await resolvePath(source, path)
    if (node.kind === 'file') yield entry({ kind: 'file', path: '', node })
    else for await (const found of walkDirectory(source, node)) yield entry(found)
  } finally {
    await source.close()
  }
}

/** Blocks as UnixFS; what is not UnixFS is the content of a file. */
interface FileDag extends Dag {
  read(cid: CID): Promise<UnixfsBlock>
}

/** The node at a path, resolved name by name. @throws {ReaderError} `not_found`, `unsupported` … */
export async function resolvePath(
  dag: FileDag,
  { root, names }: IpfsPath,
): Promise<Exclude<UnixfsBlock, { kind: 'symlink' }>> {
  let node = await dag.read(root)
  for (const [index, name] of names.entries()) {
    const shown = `/ipfs/${[root, ...names.slice(0, index + 1)].join('/')}`
    const link =
      node.kind === 'directory' || node.kind === 'shard' ? (await findEntry(dag, node, name)).link : undefined
    if (!link) throw new ReaderError('not_found', `${shown} does not exist.`)
    node = await dag.read(link.cid)
  }
  if (node.kind === 'symlink') throw new ReaderError('unsupported', 'Symbolic links are not followed.')
  return node
}

function tooLarge(name: string, max: number): ReaderError {
  return new ReaderError('too_large', `${name} is larger than ${max} bytes.`)
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A file below a directory. */
interface FoundFile {
  kind: 'file'
  /** Relative to the directory, with slashes. */
  path: string
  node: FileNode
}

/** A folder without entries, or a symbolic link, which is not followed. */
interface FoundOther {
  kind: 'folder' | 'link'
  /** Relative to the directory, with slashes; '' for the directory itself. */
  path: string
}

/** Everything below a directory, with its path. @throws {ReaderError} `too_large` beyond `maxEntries`. */
async function* walkDirectory(source: BlockSource, root: DirectoryNode): AsyncGenerator<FoundFile | FoundOther> {
  const { maxDepth, maxEntries } = source.limits
  let entries = 0
  const visit = async function* (node: DirectoryNode, path: string, depth: number): ReturnType<typeof walkDirectory> {
    if (depth > maxDepth) throw source.invalid(node.cid, 'is a directory that is too deep')
    const prefix = path === '' ? '' : `${path}/`
    const before = entries
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
        if (child.kind === 'file') yield { kind: 'file', path: prefix + name, node: child }
        else if (child.kind === 'symlink') yield { kind: 'link', path: prefix + name }
        else yield* visit(child, prefix + name, depth + 1)
      }
    }
    if (entries === before) yield { kind: 'folder', path }
  }
  yield* visit(root, '', 0)
}
