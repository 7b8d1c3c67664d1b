import { findIndexName } from '../../../../protocol/site-index.ts'
import type { DirectoryNode } from '../../../../reader/unixfs/dag.ts'
import { findEntry, listEntries } from '../../../../reader/unixfs/directory.ts'
import type { DirectoryLink } from '../../../../reader/unixfs/unixfs-node.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { HTML_TYPE } from '../../../platform/http/media-types.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import { encodeText } from '../../encoding/encode-text.ts'
import { SeenCids } from '../blocks/block-key.ts'
import type { DagSource } from '../dag/dag-source.ts'
import { formatSubPath } from '../names/content-path.ts'
import { directoryPage } from './directory-page.ts'
import type { FoundContent } from './found-content.ts'
import { representFile } from './represent-file.ts'

/** Changes with every change of the page, so that caches ask again (Path Gateway specification, `Etag`). */
const PAGE_VERSION = '2'

/** A generated page may look better next week; until then it is good, and for a month better than nothing. */
const LISTING_CACHE = 'public, max-age=604800, stale-while-revalidate=2678400'

const MAX_ENTRIES = 10_000

/**
 * A UnixFS directory: a redirect to the path with a trailing slash, its `index.html`, of a website its first page of
 * another name, or a page that lists it; `undefined` where that would be a listing and its host has none ({@link Mount}).
 * Neither needs more than the directory's own blocks and the index.
 */
export async function representDirectory(
  found: FoundContent,
  node: DirectoryNode,
): Promise<Representation | Response | undefined> {
  const { request, url, search = url.search, source, mount, path } = found
  if (!path.slash) {
    const location = `${mount.linkPrefix}${formatSubPath({ ...path, slash: true })}${search}`
    const headers = new Headers({ Location: location })
    if (mount.cacheControl !== undefined) headers.set('Cache-Control', mount.cacheControl)
    return new Response(null, { status: 301, headers })
  }
  const { link: index } = await findEntry(source, node, 'index.html')
  if (index) {
    const file = await source.read(index.cid)
    if (file.kind === 'file') {
      return representFile(found, file, { etag: `"${node.cid}"`, name: 'index.html' })
    }
    throw new AppError(422, 'invalid_dag', 'The index.html of this directory is not a file.')
  }
  const { entries, more } = await listDirectory(source, node, MAX_ENTRIES)
  const name = mount.isSite ? findIndexName(entries.map((entry) => entry.name)) : undefined
  const first = entries.find((entry) => entry.name === name)
  const file = first && (await source.read(first.cid))
  if (first && file?.kind === 'file') {
    return representFile(found, file, { etag: `"${node.cid}"`, name: first.name })
  }
  if (!(await isListed(found))) return undefined
  const headers = new Headers({ 'Content-Type': HTML_TYPE })
  if (mount.namespace === 'ipfs') headers.set('Cache-Control', LISTING_CACHE)
  const page = await directoryPage({ mount, segments: path.segments, node, entries, more })
  const etag = `"DirIndex-${PAGE_VERSION}_CID-${node.cid}"`
  const listing = { status: 200 as const, headers, etag, otherEtags: [`"${node.cid}"`], body: page }
  // The links of a listing depend on where it is shown.
  return encodeText(request, listing, { name: `listing ${url.href} ${etag}` })
}

async function isListed({ mount, path, source, root }: FoundContent): Promise<boolean> {
  if (mount.itemHost === undefined) return true
  if (mount.itemHost === 'site') return false
  if (path.segments.length === 0) return true
  const top = await source.read(root)
  if (top.kind !== 'directory' && top.kind !== 'shard') return true
  const { entries } = await listDirectory(source, top, MAX_ENTRIES)
  return findIndexName(entries.map((entry) => entry.name)) === undefined
}

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
