import type { Context } from 'hono'
import { now } from '../../../platform/clock.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { admitToCache } from '../../cache/admit-to-cache.ts'
import { type Denylist, deniedError } from '../../denylist/denylist.ts'
import type { FoundPath } from '../formats/found-content.ts'
import { representRecord } from '../formats/represent-record.ts'
import { responseFormat } from '../formats/response-format.ts'
import type { SubPath } from '../names/content-path.ts'
import { type IpnsName, parseIpnsName } from '../names/ipns-name.ts'
import { findIpnsRecord } from '../names/ipns-records.ts'
import { type MountPlace, mountName } from '../names/mount.ts'
import { resolveName } from '../names/resolve-name.ts'
import { findIpfsPath } from './find-ipfs-path.ts'
import { openGatewayRequest } from './open-gateway-request.ts'

export interface NamedPath {
  url: URL
  name: IpnsName
  path: SubPath
  place: MountPlace
}

/**
 * The content at a path below the current target of a name, or, without a path and on request, the signed record of the
 * name.
 * @throws {AppError} as `resolveName` and `findIpfsPath` do.
 */
export async function findNamePath(
  c: Context<AppEnv>,
  denied: Denylist,
  { url, name, path, place }: NamedPath,
): Promise<FoundPath> {
  if (denied.hasName(name.text)) throw deniedError()
  const { ipfs, dohUrl } = readConfig(c.env)
  const admit = (bytes: number) => admitToCache(c.env, 'ipfs', bytes, now())
  const names = { bucket: c.env.BUCKET, admit, routers: ipfs.routers, dohUrl, now: now() }
  const format = responseFormat(url.searchParams, c.req.header('Accept') ?? null)
  if (format.name === 'ipns-record') {
    if (name.kind !== 'key' || path.segments.length > 0) {
      throw new AppError(400, 'no_ipns_record', 'Only an IPNS key without a path has an IPNS record.')
    }
    const record = await findIpnsRecord(name.key, name.text, names)
    const representation = representRecord(record, name.text, url.searchParams)
    if (format.byAccept) representation.headers.append('Vary', 'Accept')
    return { representation, cids: [] }
  }
  const { root, below, ttl } = await resolveName(name, names)
  const mount = mountName(name.text, ttl, place)
  return findIpfsPath({ ...openGatewayRequest(c, denied), url, mount, root, below, path })
}

/** @throws {AppError} 400 for what is neither a key nor a domain. */
export function requireIpnsName(text: string, pathname: string): IpnsName {
  const name = parseIpnsName(text)
  if (name) return name
  throw new AppError(400, 'invalid_name', `invalid path "${pathname}": "${text}" is neither a key nor a domain.`)
}
