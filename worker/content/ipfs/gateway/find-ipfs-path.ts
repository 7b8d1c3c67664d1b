import { AppError } from '../../../platform/http/errors.ts'
import { deniedError, refuseDenied } from '../../denylist/denylist.ts'
import { resolvePath } from '../dag/resolve-path.ts'
import { countSent } from '../formats/count-sent.ts'
import type { FoundPath, IpfsRequest } from '../formats/found-content.ts'
import { represent } from '../formats/represent.ts'
import { responseFormat } from '../formats/response-format.ts'
import { formatSubPath } from '../names/content-path.ts'
import { setContentHeaders } from './content-headers.ts'

/**
 * Finds what is at a path below a root as the IPFS gateway specifications say: files, directories, blocks, CARs,
 * TARs and IPLD data; `_redirects` where the root has an origin of its own.
 * @throws {AppError} 400, 404, 412, 422, 451, 501, 502, 504.
 */
export async function findIpfsPath(asked: IpfsRequest): Promise<FoundPath> {
  try {
    return await find(asked)
  } finally {
    asked.source.budget.rest()
  }
}

async function find(asked: IpfsRequest): Promise<FoundPath> {
  const { request, url, source, denied, mount, root, below = [], path } = asked
  refuseDenied(denied, { cids: [root] })
  const segments = [...below, ...path.segments]
  if (segments.length > 0 && denied.hasPath(root, segments.join('/'))) throw deniedError()
  const format = responseFormat(url.searchParams, request.headers.get('Accept'))
  if (format.name === 'ipns-record') {
    throw new AppError(400, 'no_ipns_record', 'Only an IPNS name without a path has an IPNS record.')
  }
  const resolved = await resolvePath(source, root, segments)
  const rewrites = mount.ownOrigin && format.name === undefined
  if ('missing' in resolved) {
    return (rewrites ? await redirectOf(asked) : undefined) ?? refuse(asked, `"${resolved.missing}"`)
  }
  refuseDenied(denied, { cids: resolved.roots })
  const representation = await represent({ ...asked, format, resolved })
  if (!representation) return (rewrites ? await redirectOf(asked) : undefined) ?? refuse(asked, 'page')
  setContentHeaders(representation.headers, asked, resolved.roots)
  if (asked.negotiates && format.byAccept) representation.headers.append('Vary', 'Accept')
  if (format.negotiated && format.name && !(representation instanceof Response)) {
    representation.headers.set('Content-Location', contentLocation(asked, format.name))
  }
  return { representation: countSent(representation, source.budget), cids: source.given }
}

function refuse({ mount, path }: IpfsRequest, what: string): never {
  const message = `There is no ${what} at ${mount.contentPath}${formatSubPath(path)}.`
  throw new AppError(404, 'path_not_found', message)
}

// Loaded when first needed: most paths exist.
async function redirectOf(asked: IpfsRequest): Promise<FoundPath | undefined> {
  const { findRedirect } = await import('./find-redirect.ts')
  return findRedirect(asked)
}

function contentLocation({ url, mount, path }: IpfsRequest, format: string): string {
  const query = new URLSearchParams(url.searchParams)
  query.set('format', format)
  return `${mount.linkPrefix}${formatSubPath(path)}?${query}`
}
