import type { Context } from 'hono'
import type { Config } from '../../config/config.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import { classifyHost } from '../../hosts/classify-host.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { AppError } from '../../http/errors.ts'
import { canonicalCid, parseCid } from '../blocks/cid.ts'
import { parseSubPath } from '../formats/content-path.ts'
import { mountCid } from '../formats/mount.ts'
import { outlineDomain, parseIpnsName } from '../names/ipns-name.ts'
import { findNamePath } from './find-name-path.ts'
import { openRequest } from './open-gateway-request.ts'
import { checkLabel } from './redirect-to-subdomain.ts'
import { type FoundPath, findIpfsPath } from './serve-ipfs-path.ts'

interface Root {
  namespace: 'ipfs' | 'ipns'
  /** As the host name has it. */
  label: string
}

/**
 * Where a root spelled otherwise than hosts spell it lives: base32 for CIDs, base36 for keys. `host` is the header,
 * in whose letters a CIDv0 may still be readable. `undefined` for a root in its place.
 * @throws {AppError} 400 for a label that is no root, or longer than DNS takes.
 */
export function subdomainMove(url: URL, host: string | undefined, config: Config): string | undefined {
  const { namespace, label } = rootOf(url, config)
  // Domains have dots, and each of their labels its own limit.
  if (!label.includes('.')) checkLabel(label)
  const spelled = host?.slice(0, label.length) ?? label
  const canonical = namespace === 'ipfs' ? cidLabel(label, spelled) : nameLabel(label, spelled)
  if (canonical === label) return undefined
  checkLabel(canonical)
  return `${url.protocol}//${canonical}.${namespace}.${config.storageHost}${url.pathname}${url.search}`
}

function cidLabel(label: string, spelled: string): string {
  const cid = parseCid(label) ?? parseCid(spelled)
  if (cid) return canonicalCid(cid)
  throw new AppError(400, 'invalid_cid', `invalid CID "${label}" in the host name`)
}

function nameLabel(label: string, spelled: string): string {
  const name = parseIpnsName(label) ?? parseIpnsName(spelled)
  return name?.kind === 'key' ? name.text : label
}

/**
 * Finds what a path means on the host of a root.
 * @throws {AppError} 400 for a host that names no root, and as `findIpfsPath` does.
 */
export async function findSubdomainPath(c: Context<AppEnv>, denied: Denylist, url: URL): Promise<FoundPath> {
  const config = readConfig(c.env)
  const { namespace, label } = rootOf(url, config)
  const place = { linkPrefix: '', ownOrigin: true, gatewayUrl: `//${config.storageHost}` }
  const path = parseSubPath(url.pathname)
  if (namespace === 'ipns') {
    const name = parseIpnsName(label) ?? parseIpnsName(outlineDomain(label))
    if (!name) throw new AppError(400, 'invalid_name', `"${label}" is neither a key nor a domain.`)
    return findNamePath(c, denied, { url, name, path, place })
  }
  const root = parseCid(label)
  if (!root) throw new AppError(400, 'invalid_cid', `invalid CID "${label}" in the host name`)
  return findIpfsPath({ ...openRequest(c, denied), url, mount: mountCid(label, place), root, path })
}

function rootOf(url: URL, config: Config): Root {
  const host = classifyHost(url.host, config)
  if (host.kind === 'subdomain') return host
  throw new AppError(400, 'invalid_host', 'This host names no root.')
}
