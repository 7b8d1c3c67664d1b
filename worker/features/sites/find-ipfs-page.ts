import type { Context } from 'hono'
import type { CID } from 'multiformats/cid'
import { MAX_SITE_FILE_BYTES } from '../../../contract/limits.ts'
import { canonicalCid, parseCid } from '../../../protocol/cid.ts'
import { decodeText } from '../../../protocol/decode-text.ts'
import type { Denylist } from '../../content/denylist/denylist.ts'
import type { DagSource } from '../../content/ipfs/dag/dag-source.ts'
import { readFile } from '../../content/ipfs/dag/read-file.ts'
import { resolvePath } from '../../content/ipfs/dag/resolve-path.ts'
import type { FoundPath, IpfsRequest } from '../../content/ipfs/formats/found-content.ts'
import { isFormat } from '../../content/ipfs/formats/response-format.ts'
import { findIpfsPath } from '../../content/ipfs/gateway/find-ipfs-path.ts'
import { findPage as findRewrite } from '../../content/ipfs/gateway/find-redirect.ts'
import { openGatewayRequest } from '../../content/ipfs/gateway/open-gateway-request.ts'
import { parseSubPath } from '../../content/ipfs/names/content-path.ts'
import { type Mount, mountCid } from '../../content/ipfs/names/mount.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { IMMUTABLE, NO_STORE } from '../../platform/http/policies.ts'
import { readSized } from '../../platform/http/read-sized.ts'
import { setHeadersOfOwner } from '../items/content/answer-ipfs-item.ts'
import { asRetyped, RETYPED } from '../items/content/retyped.ts'
import type { StoredItem } from '../items/sql/stored-items.ts'
import { type HeaderRule, headersTooLarge, matchHeaders, parseHeadersFile } from './site-headers.ts'

/** Query parameters by which a gateway returns content in another form. */
const GATEWAY_PARAMETERS = ['format', 'filename', 'download']

/** Rules of `_headers` by root CID: what a CID names does not change. */
const rulesOfRoots = new MemoryCache<HeaderRule[]>(256 << 10)

/**
 * Finds what an IPFS item has at a path of its own host: files and directories with `_redirects` as a subdomain
 * gateway, and what static hosts add: `_headers`, and `404.html` for what is not there. A single file is at `/`,
 * with the media type that its owner gave it. `format` is that of a gateway; `itemHost` as a {@link Mount} has it.
 * @throws {AppError} as `findIpfsPath` does, and 500 for an invalid `_headers` file.
 */
export async function findIpfsPage(
  c: Context<AppEnv>,
  denied: Denylist,
  item: StoredItem,
  request: Request,
  itemHost: NonNullable<Mount['itemHost']>,
): Promise<FoundPath> {
  const root = parseCid(item.cid ?? '')
  if (!root) throw new Error(`The item ${item.id} is stored without a CID.`)
  const { search } = new URL(request.url)
  const { url, format } = readAddress(request.url)
  const gatewayUrl = `//${c.get('config').storageHost}`
  const place = { linkPrefix: '', ownOrigin: true, gatewayUrl, itemHost, isSite: true } as const
  // The gateway's own Cache-Control is for its own paths: an item is cached as long as one on a chain.
  const mount = { ...mountCid(canonicalCid(root), place), cacheControl: IMMUTABLE }
  const path = parseSubPath(url.pathname)
  const { mimetype: mediaType } = item
  const asked = {
    ...openGatewayRequest(c, denied),
    mediaType,
    request,
    url,
    search,
    mount,
    root,
    path,
    negotiates: false,
  }
  const [rules, found] = await Promise.all([readRules(asked), format ? findServed(asked) : findPage(asked)])
  const { headers } = found.representation
  if (found.representation.status >= 400) headers.set('Cache-Control', NO_STORE)
  if (rules !== 'file') setOwnHeaders(headers, rules, asked)
  else if (!format) {
    setHeadersOfOwner(headers, item)
    return asRetyped(item, found, RETYPED)
  }
  return found
}

/** An address as a gateway reads it: where a gateway has no such `format`, the query is for the page's own scripts. */
function readAddress(text: string): { url: URL; format: boolean } {
  const url = new URL(text)
  const format = isFormat(url.searchParams.get('format') ?? '')
  if (!format) for (const name of GATEWAY_PARAMETERS) url.searchParams.delete(name)
  return { url, format }
}

/** As the gateway finds it; what only the host itself reads is not served. */
async function findServed(asked: IpfsRequest): Promise<FoundPath> {
  const [name = '', ...rest] = asked.path.segments
  if (rest.length === 0 && (name === '_headers' || name === '_redirects')) {
    throw new AppError(404, 'path_not_found', `The file ${name} says how this host answers, and is not served on it.`)
  }
  return await findIpfsPath(asked)
}

async function findPage(asked: IpfsRequest): Promise<FoundPath> {
  try {
    return await findServed(asked)
  } catch (error) {
    const missing = error instanceof AppError && error.code === 'path_not_found'
    const own = missing ? await findRewrite(asked, { segments: ['404.html'], slash: false }, 404) : undefined
    if (own) return own
    throw error
  }
}

async function readRules({ source, root }: IpfsRequest): Promise<HeaderRule[] | 'file'> {
  const name = canonicalCid(root)
  const known = rulesOfRoots.get(name)
  if (known) return known
  const resolved = await resolvePath(source, root, [])
  if ('missing' in resolved || (resolved.node.kind !== 'directory' && resolved.node.kind !== 'shard')) return 'file'
  const text = await readHeadersText(source, root)
  const rules = parseHeadersFile(text)
  rulesOfRoots.set(name, rules, 200 + 4 * text.length)
  return rules
}

/** The `_headers` file of a directory as text; empty where there is none. @throws {AppError} 500 for one that is too large. */
export async function readHeadersText(source: DagSource, root: CID): Promise<string> {
  const resolved = await resolvePath(source, root, ['_headers'])
  if ('missing' in resolved || resolved.node.kind !== 'file') return ''
  const { node } = resolved
  if (node.size > MAX_SITE_FILE_BYTES) throw headersTooLarge()
  const bytes = await readSized(readFile(source, node, { start: 0, end: node.size - 1 }), node.size)
  return decodeText(bytes)
}

function setOwnHeaders(headers: Headers, rules: HeaderRule[], { path }: IpfsRequest): void {
  const decoded = `/${path.segments.join('/')}${path.slash && path.segments.length > 0 ? '/' : ''}`
  for (const [name, value] of matchHeaders(rules, decoded)) {
    if (name !== 'cache-control' || headers.get('Cache-Control') !== NO_STORE) headers.set(name, value)
  }
}
