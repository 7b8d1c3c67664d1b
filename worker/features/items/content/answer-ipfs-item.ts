import type { Context } from 'hono'
import { CID } from 'multiformats/cid'
import { DIRECTORY } from '../../../../contract/media-type.ts'
import { denylist } from '../../../content/denylist/denylist.ts'
import { answerFound } from '../../../content/ipfs/gateway/answer-ipfs.ts'
import { mountCid } from '../../../content/ipfs/names/mount.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { HTML_TYPE } from '../../../platform/http/media-types.ts'
import { IMMUTABLE_CONTENT, SANDBOX } from '../../../platform/http/policies.ts'
import { respond } from '../../../platform/http/respond.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { bindToItem } from './bind-to-item.ts'

/** An item that is read by its CID: on IPFS, a directory on a chain, or a file of one. */
export type IpfsItem = StoredItem & { cid: string }

/**
 * An item on IPFS as the file that it is, with the item's own media type; a directory is its `index.html` or its
 * listing. Ranges, entity tags and 304 as the gateway has them.
 * @throws {AppError} 404, 451, 502, 504.
 */
export async function answerIpfsItem(c: Context<AppEnv>, item: IpfsItem): Promise<Response> {
  const response = await answerFound(c, await findItem(c, item, c.req.raw.headers))
  bindToItem(c, item.id)
  return response
}

/**
 * HEAD of an item on IPFS in hex digits, for what only its blocks tell the length of: {@link isMeasuredByDag}.
 * @throws {AppError} 404, 451, 502, 504.
 */
export async function answerIpfsItemHex(c: Context<AppEnv>, item: IpfsItem): Promise<Response> {
  const { asHex } = await import('../../../content/ipfs/gateway/find-hex-path.ts')
  const { representation } = await findItem(c, item, {})
  return await respond(c.req.raw, { ...representation, ...asHex(representation), ranges: false })
}

/**
 * Whether the row of an item says nothing of the length of its content: a directory on IPFS is its index, a CAR what is in
 * it.
 */
export function isMeasuredByDag(item: StoredItem): item is IpfsItem {
  if (item.cid === undefined || item.txids.length > 0) return false
  return item.mimetype === DIRECTORY || item.kind === 'car'
}

async function findItem(c: Context<AppEnv>, item: IpfsItem, asked: HeadersInit) {
  const { env, executionCtx: ctx } = c
  const request = c.req.raw
  const [{ openBlocks }, { openDag }, { findIpfsPath }] = await Promise.all([
    import('../../../content/ipfs/blocks/open-blocks.ts'),
    import('../../../content/ipfs/dag/dag-source.ts'),
    import('../../../content/ipfs/gateway/find-ipfs-path.ts'),
  ])
  const denied = await denylist(env, ctx)
  const contentPath = `/ipfs/${item.cid}`
  // What a client could ask of the gateway by `format` or `Accept` is not asked of an item: it is one file.
  const headers = new Headers(asked)
  headers.delete('Accept')
  const url = new URL(`${contentPath}/`, request.url)
  const own = new Request(url, { method: request.method, headers, ...(request.cf ? { cf: request.cf } : {}) })
  const found = await findIpfsPath({
    request: own,
    url,
    source: openDag(openBlocks({ env, ctx }, denied)),
    denied,
    mount: {
      ...mountCid(item.cid, { linkPrefix: contentPath, ownOrigin: false, gatewayUrl: '' }),
      cacheControl: IMMUTABLE_CONTENT,
    },
    root: CID.parse(item.cid),
    path: { segments: [], slash: true },
  })
  const { representation } = found
  // The path ends in a slash, so that nothing is left to be redirected to.
  if (representation instanceof Response) throw new TypeError(`A redirect stands for ${contentPath}`)
  representation.headers.set('Content-Security-Policy', SANDBOX)
  // A directory is answered with a page, which a browser would save as a file by the directory's own type.
  const mimetype = item.mimetype === DIRECTORY ? HTML_TYPE : item.mimetype
  if (representation.status === 200) representation.headers.set('Content-Type', mimetype)
  return { ...found, representation }
}
