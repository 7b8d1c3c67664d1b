import type { CID } from 'multiformats/cid'
import { now } from '../../clock.ts'
import { type Denylist, refuseDenied } from '../../denylist/denylist.ts'
import { AppError } from '../../http/errors.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { resolvePath } from '../dag/resolve-path.ts'
import { formatIpfsUri, formatSubPath, type SubPath } from '../formats/content-path.ts'
import type { Mount } from '../formats/mount.ts'
import { represent } from '../formats/represent.ts'
import { type Representation, respond } from '../formats/representation.ts'
import { responseFormat } from '../formats/response-format.ts'

/** One request for content, its name already resolved to a root. */
export interface ContentRequest {
  request: Request
  url: URL
  source: BlockSource
  denied: Denylist
  mount: Mount
  root: CID
  /** Segments that the name itself pointed below the root (`/ipns/x` being `/ipfs/cid/dir`). */
  below?: readonly string[]
  path: SubPath
}

/** What a path led to, and every block that it is made of so far: the denylist is asked about each. */
export interface FoundPath {
  /** With every header but those of the one request; a redirect comes as a finished response. */
  representation: Representation | Response
  cids: readonly CID[]
}

/**
 * Serves what is at a path below a root as the IPFS gateway specifications say: files, directories, blocks, CARs,
 * TARs and IPLD data; `_redirects` where the root has an origin of its own.
 * @throws {AppError} as {@link findIpfsPath}.
 */
export async function serveIpfsPath(asked: ContentRequest): Promise<Response> {
  const { representation } = await findIpfsPath(asked)
  return representation instanceof Response ? representation : await respond(asked.request, representation)
}

/**
 * Finds what {@link serveIpfsPath} serves, for those who keep it.
 * @throws {AppError} 400, 404, 412, 422, 451, 501, 502, 504.
 */
export async function findIpfsPath(asked: ContentRequest): Promise<FoundPath> {
  const { request, url, source, denied, mount, root, below = [], path } = asked
  refuseDenied(denied, { cids: [root] })
  const format = responseFormat(url.searchParams, request.headers.get('Accept'))
  if (format.name === 'ipns-record') {
    throw new AppError(400, 'no_ipns_record', 'Only an IPNS name without a path has an IPNS record.')
  }
  const resolved = await resolvePath(source, root, [...below, ...path.segments])
  if ('missing' in resolved) {
    const instead = mount.ownOrigin && format.name === undefined ? await redirectOf(asked) : undefined
    if (instead) return instead
    const message = `There is no "${resolved.missing}" at ${mount.contentPath}${formatSubPath(path)}.`
    throw new AppError(404, 'path_not_found', message)
  }
  refuseDenied(denied, { cids: resolved.roots })
  const representation = await represent({ ...asked, format, resolved })
  setContentHeaders(representation.headers, asked, resolved.roots)
  if (format.negotiated && format.name && !(representation instanceof Response)) {
    representation.headers.set('Content-Location', contentLocation(asked, format.name))
  }
  const shown = 'shows' in representation && representation.shows ? [representation.shows] : []
  return { representation, cids: [...resolved.roots, ...shown] }
}

// Loaded when first needed: most paths exist.
async function redirectOf(asked: ContentRequest): Promise<FoundPath | undefined> {
  const { findRedirect } = await import('./find-redirect.ts')
  return findRedirect(asked)
}

/** The headers that say where content came from and how long it keeps (Path Gateway specification). */
export function setContentHeaders(headers: Headers, asked: ContentRequest, roots: CID[]): void {
  const { mount, path, below = [], source } = asked
  headers.set('Server-Timing', `cache;desc=${source.tier}`)
  // A header field takes visible ASCII only (IPIP-548): the older header is left out where it cannot say the path.
  const older = [mount.contentPath, ...path.segments].join('/') + (path.slash ? '/' : '')
  if (/^[\x20-\x7e]*$/.test(older)) headers.set('X-Ipfs-Path', older)
  headers.set('X-Ipfs-Roots', roots.slice(below.length).join(','))
  if (mount.authority !== undefined) headers.set('Ipfs-Uri', formatIpfsUri(mount.namespace, mount.authority, path))
  if (!mount.ownOrigin) headers.set('Content-Security-Policy', 'sandbox allow-scripts allow-forms allow-popups')
  // What a name stands for is true as of now; not every runtime says when that is.
  if (mount.namespace === 'ipns') headers.set('Date', new Date(now()).toUTCString())
  if (headers.get('Cache-Control') === '') headers.delete('Cache-Control')
  else if (!headers.has('Cache-Control') && mount.cacheControl) headers.set('Cache-Control', mount.cacheControl)
}

function contentLocation({ url, mount, path }: ContentRequest, format: string): string {
  const query = new URLSearchParams(url.searchParams)
  query.set('format', format)
  return `${mount.linkPrefix}${formatSubPath(path)}?${query}`
}
