import type { CID } from 'multiformats/cid'
import { canonicalCid } from '../../../../protocol/cid.ts'
import { IMMUTABLE_CONTENT, SANDBOX } from '../../../platform/http/policies.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { openDag } from '../dag/dag-source.ts'
import type { FoundPath } from '../formats/found-content.ts'
import type { SubPath } from '../names/content-path.ts'
import { mountCid } from '../names/mount.ts'
import { findIpfsPath } from './find-ipfs-path.ts'

/** A root without a host of its own, and the path to read in it. */
export interface RootPath {
  root: CID
  path: SubPath
  /** What the paths of links begin with. */
  linkPrefix: string
  /** The media type that its owner gave the root, where that is a file. */
  mediaType?: string
  /** As the client wrote it. */
  url: URL
}

/**
 * The content at a path below a root that is shown on a host or path which is not its own, such as a website of an item. It is
 * sandboxed, as anybody may have made it. The `Accept` header is ignored: it asks for formats of the gateway.
 * @throws {AppError} as `findIpfsPath` does.
 */
export async function findRootPath(
  { method, headers: asked, cf }: Pick<Request, 'method' | 'headers'> & { cf?: Request['cf'] },
  { root, path, linkPrefix, url, mediaType }: RootPath,
  blocks: BlockSource,
  denied: Denylist,
): Promise<FoundPath> {
  const headers = new Headers(asked)
  headers.delete('Accept')
  const mount = mountCid(canonicalCid(root), { linkPrefix, ownOrigin: false, gatewayUrl: '', isSite: true })
  const found = await findIpfsPath({
    request: new Request(url, { method, headers, ...(cf ? { cf } : {}) }),
    url,
    source: openDag(blocks),
    denied,
    mount: { ...mount, cacheControl: IMMUTABLE_CONTENT },
    root,
    path,
    ...(mediaType === undefined ? {} : { mediaType }),
  })
  const { representation } = found
  if (!(representation instanceof Response)) representation.headers.set('Content-Security-Policy', SANDBOX)
  return found
}
