import type { Context } from 'hono'
import type { Denylist } from '../../denylist/denylist.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { AppError } from '../../http/errors.ts'
import { canonicalCid, parseCid } from '../blocks/cid.ts'
import { parseSubPath } from '../formats/content-path.ts'
import { hexRepresentation } from '../formats/hex-representation.ts'
import { mountCid } from '../formats/mount.ts'
import { openRequest } from './open-gateway-request.ts'
import { type FoundPath, findIpfsPath } from './serve-ipfs-path.ts'

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
  const asked = { ...openRequest(c, denied), url, mount, root, path: parseSubPath(rest) }
  if (prefix === '/ipfs/') return await findIpfsPath(asked)
  return await hexRepresentation(asked)
}
