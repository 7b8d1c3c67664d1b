import type { IpfsReader } from '../../reader/ipfs/block-source.ts'
import { parseIpfsPath, walkIpfs } from '../../reader/ipfs/open-ipfs.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { Content, SiteFile } from '../content.ts'

// The build puts the compiled site/show-site.ts here.
declare const SITE_SCRIPT: string

const MAX_FILES = 2000

/**
 * The page at `<cid>[/path]` with every file below the CID, to which it may refer; of a directory its index.html.
 * A CID that is a file comes by itself. @throws {ReaderError} `too_large`, `not_found` …
 */
export async function readSite(
  reader: IpfsReader,
  source: string,
  mediaType: string,
  maxBytes: number,
): Promise<Content> {
  const { root, names } = parseIpfsPath(source)
  const files: SiteFile[] = []
  let total = 0
  for await (const { path, node, stream } of walkIpfs(reader, root.toString())) {
    if (path === '' && names.length === 0) return { mediaType, bytes: await readWhole(stream()) }
    total += node.size
    if (files.length >= MAX_FILES || total > maxBytes) {
      throw new ReaderError('too_large', `/ipfs/${root} is too large to be shown as one site.`)
    }
    files.push({ path, mediaType: mediaTypeOf(path), bytes: await readWhole(stream()) })
  }
  const wanted = names.join('/')
  const index = [...names, 'index.html'].join('/')
  const page = files.find(({ path }) => path === wanted) ?? files.find(({ path }) => path === index)
  if (!page) throw new ReaderError('not_found', `/ipfs/${root} has neither ${wanted || index} nor ${index}.`)
  return { mediaType, bytes: page.bytes, site: { path: page.path, files, script: SITE_SCRIPT } }
}
