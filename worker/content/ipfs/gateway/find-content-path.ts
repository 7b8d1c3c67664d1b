import type { Context } from 'hono'
import { canonicalCid, parseCid } from '../../../../protocol/cid.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import type { FoundPath } from '../formats/found-content.ts'
import { parseSubPath } from '../names/content-path.ts'
import { mountCid } from '../names/mount.ts'
import { findHexPath } from './find-hex-path.ts'
import { findIpfsPath } from './find-ipfs-path.ts'
import { openGatewayRequest } from './open-gateway-request.ts'

/**
 * Finds what `/ipfs/<cid>[/path]` names on a path gateway, or the same as hex digits.
 * @throws {AppError} 400 for what is no CID, and as `findIpfsPath` does.
 */
export async function findContentPath(
  c: Context<AppEnv>,
  denied: Denylist,
  prefix: '/ipfs/' | '/ipfs/hex/',
): Promise<FoundPath> {
  const url = new URL(c.req.url)
  const [, text = '', rest = ''] = /^([^/]*)(.*)$/.exec(url.pathname.slice(prefix.length)) ?? []
  const root = parseCid(text)
  if (!root) {
    throw new AppError(400, 'invalid_cid', `invalid path "${url.pathname}": "${text}" is not a content id (CID).`)
  }
  const mount = mountCid(canonicalCid(root), { linkPrefix: `/ipfs/${text}`, ownOrigin: false, gatewayUrl: '' }, text)
  const asked = { ...openGatewayRequest(c, denied), url, mount, root, path: parseSubPath(rest) }
  if (prefix === '/ipfs/') return await findIpfsPath(asked)
  return await findHexPath(asked)
}
