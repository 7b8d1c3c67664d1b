import type { Context } from 'hono'
import { canonicalCid, parseCid } from '../../../../protocol/cid.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import type { FoundPath } from '../formats/found-content.ts'
import { parseSubPath } from '../names/content-path.ts'
import { domainOfInlinedLabel, parseIpnsName } from '../names/ipns-name.ts'
import { mountCid } from '../names/mount.ts'
import { findIpfsPath } from './find-ipfs-path.ts'
import { findNamePath } from './find-name-path.ts'
import { openGatewayRequest } from './open-gateway-request.ts'
import { checkLabel } from './redirect-to-subdomain.ts'

/** The root that a host name names. */
export interface HostRoot {
  namespace: 'ipfs' | 'ipns'
  /** As the host name has it. */
  label: string
}

/**
 * The redirect for a root that is not in the form of a host: base32 for CIDs, base36 for keys. `host` is the header, whose
 * letters still have their case, so that a CIDv0 may be readable. `undefined` if the root needs no redirect.
 * @throws {AppError} 400 if the label is no root, or longer than DNS allows.
 */
export function subdomainRedirect(
  url: URL,
  host: string | undefined,
  { namespace, label }: HostRoot,
  storageHost: string,
): string | undefined {
  // Domains have dots, and each of their labels its own limit.
  if (!label.includes('.')) checkLabel(label)
  const spelled = host?.slice(0, label.length) ?? label
  const canonical = namespace === 'ipfs' ? cidLabel(label, spelled) : nameLabel(label, spelled)
  if (canonical === label) return undefined
  checkLabel(canonical)
  return `${url.protocol}//${canonical}.${namespace}.${storageHost}${url.pathname}${url.search}`
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
 * @throws {AppError} 400 for a label that is no root, and as `findIpfsPath` does.
 */
export async function findSubdomainPath(
  c: Context<AppEnv>,
  denied: Denylist,
  url: URL,
  { namespace, label }: HostRoot,
): Promise<FoundPath> {
  const place = { linkPrefix: '', ownOrigin: true, gatewayUrl: `//${readConfig(c.env).storageHost}` }
  const path = parseSubPath(url.pathname)
  if (namespace === 'ipns') {
    const name = parseIpnsName(label) ?? parseIpnsName(domainOfInlinedLabel(label))
    if (!name) throw new AppError(400, 'invalid_name', `"${label}" is neither a key nor a domain.`)
    return findNamePath(c, denied, { url, name, path, place })
  }
  const root = parseCid(label)
  if (!root) throw new AppError(400, 'invalid_cid', `invalid CID "${label}" in the host name`)
  return findIpfsPath({ ...openGatewayRequest(c, denied), url, mount: mountCid(label, place), root, path })
}
