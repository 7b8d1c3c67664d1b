import type { CID } from 'multiformats/cid'
import { now } from '../../../platform/clock.ts'
import { SANDBOX } from '../../../platform/http/policies.ts'
import type { IpfsRequest } from '../formats/found-content.ts'
import { formatIpfsUri } from '../names/content-path.ts'

/** Sets the headers for the origin and the lifetime of content (Path Gateway specification). */
export function setContentHeaders(headers: Headers, asked: IpfsRequest, roots: CID[]): void {
  const { mount, path, below = [], source } = asked
  headers.set('Server-Timing', `cache;desc=${source.tier}`)
  // A header field allows visible ASCII only (IPIP-548): the older header is left out for other paths.
  const older = [mount.contentPath, ...path.segments].join('/') + (path.slash ? '/' : '')
  if (/^[\x20-\x7e]*$/.test(older)) headers.set('X-Ipfs-Path', older)
  headers.set('X-Ipfs-Roots', roots.slice(below.length).join(','))
  if (mount.authority !== undefined) headers.set('Ipfs-Uri', formatIpfsUri(mount.namespace, mount.authority, path))
  if (!mount.ownOrigin) headers.set('Content-Security-Policy', SANDBOX)
  // The target of a name is valid as of now; not every runtime adds `Date` itself.
  if (mount.namespace === 'ipns') headers.set('Date', new Date(now()).toUTCString())
  if (headers.get('Cache-Control') === '') headers.delete('Cache-Control')
  else if (!headers.has('Cache-Control') && mount.cacheControl) headers.set('Cache-Control', mount.cacheControl)
}
