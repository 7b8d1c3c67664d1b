import type { CID } from 'multiformats/cid'
import { invalidDag } from '../../reader/ipfs/dag-node.ts'
import { type IpfsPath, resolvePath } from '../../reader/ipfs/open-ipfs.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content, SiteFile } from '../content.ts'
import { type DagReader, MAX_BYTES, readFile } from './read-file.ts'
import { yieldToPage } from './yield-to-page.ts'

// The build inserts the compiled site/show-site.ts here.
declare const SITE_SCRIPT: string

const MAX_FILES = 2000
/** Entries in all directories; few of them are files that are shown. */
const MAX_ENTRIES = 10_000
const MAX_DEPTH = 32

/**
 * The page at `<cid>[/path]` with every file below the CID, because the page may refer to it; for a directory its
 * index.html. A CID that is a file is returned without others.
 * @throws {ReaderError} `too_large`, `not_found` …
 */
export async function readSite(reader: DagReader, { root, names }: IpfsPath, mediaType: string): Promise<Content> {
  const top = await resolvePath(reader.blocks, { root, names: [] })
  if (top.kind === 'file') {
    if (names.length === 0) return { mediaType, bytes: await readFile(reader, root) }
    throw new ReaderError('not_found', `/ipfs/${root} is a file, not a directory.`)
  }
  const files: SiteFile[] = []
  let left = MAX_BYTES
  const tooLarge = () => new ReaderError('too_large', `/ipfs/${root} is too large to be shown as one site.`)
  for await (const { path, cid } of walk(reader, root, top.links.length, tooLarge)) {
    if (files.length >= MAX_FILES) throw tooLarge()
    const bytes = await readFile(reader, cid, left)
    left -= bytes.length
    if (left < 0) throw tooLarge()
    files.push({ path, mediaType: mediaTypeOf(path), bytes })
  }
  const wanted = names.join('/')
  const index = [...names, 'index.html'].join('/')
  const page = files.find(({ path }) => path === wanted) ?? files.find(({ path }) => path === index)
  if (!page) throw new ReaderError('not_found', `/ipfs/${root} has neither ${wanted || index} nor ${index}.`)
  return { mediaType, bytes: page.bytes, site: { path: page.path, files, script: SITE_SCRIPT } }
}

/** Every file below a directory whose block has this many links, in stored order. Symbolic links are skipped. */
async function* walk(
  { blocks, fs }: DagReader,
  root: CID,
  links: number,
  tooLarge: () => ReaderError,
): AsyncGenerator<{ path: string; cid: CID }> {
  let entries = 0
  async function* visit(
    directory: CID,
    size: number,
    prefix: string,
    depth: number,
  ): AsyncGenerator<{ path: string; cid: CID }> {
    if (depth > MAX_DEPTH) throw invalidDag(directory, 'is a directory that is too deep')
    if (entries + size > MAX_ENTRIES) throw tooLarge()
    for await (const { name, cid } of fs.ls(directory)) {
      await yieldToPage()
      if (++entries > MAX_ENTRIES) throw tooLarge()
      // The name may become a path in the page.
      if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
        throw invalidDag(directory, `has an entry with the impossible name ${JSON.stringify(name.slice(0, 80))}`)
      }
      const node = await blocks.read(cid)
      if (node.kind === 'file') yield { path: prefix + name, cid }
      else if (node.kind !== 'symlink') yield* visit(cid, node.links.length, `${prefix}${name}/`, depth + 1)
    }
  }
  yield* visit(root, links, '', 0)
}
