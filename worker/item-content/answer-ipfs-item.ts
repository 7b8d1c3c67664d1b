import type { Context } from 'hono'
import { CID } from 'multiformats/cid'
import { denylist } from '../denylist/denylist.ts'
import type { AppEnv } from '../http/app-env.ts'
import { IMMUTABLE, SANDBOX } from '../http/policies.ts'
import { answerFound } from '../ipfs/gateway/answer-ipfs.ts'
import { mountCid } from '../ipfs/names/mount.ts'
import type { StoredItem } from '../storage/items/stored-items.ts'
import { bindToItem } from './bind-to-item.ts'

/**
 * An item on IPFS as the file that it is, with the item's own media type; a directory is its `index.html` or its
 * listing. Ranges, entity tags and 304 as the gateway has them.
 * @throws {AppError} 404, 451, 502, 504.
 */
export async function answerIpfsItem(c: Context<AppEnv>, item: StoredItem & { cid: string }): Promise<Response> {
  const { env, executionCtx: ctx } = c
  const request = c.req.raw
  const [{ openBlocks }, { findIpfsPath }] = await Promise.all([
    import('../ipfs/blocks/open-blocks.ts'),
    import('../ipfs/gateway/find-ipfs-path.ts'),
  ])
  const denied = await denylist(env, ctx)
  const contentPath = `/ipfs/${item.cid}`
  // What a client could ask of the gateway by `format` or `Accept` is not asked of an item: it is one file.
  const headers = new Headers(request.headers)
  headers.delete('Accept')
  const url = new URL(`${contentPath}/`, request.url)
  const own = new Request(url, { method: request.method, headers, ...(request.cf ? { cf: request.cf } : {}) })
  const found = await findIpfsPath({
    request: own,
    url,
    source: openBlocks({ env, ctx }, denied),
    denied,
    mount: {
      ...mountCid(item.cid, { linkPrefix: contentPath, ownOrigin: false, gatewayUrl: '' }),
      cacheControl: IMMUTABLE,
    },
    root: CID.parse(item.cid),
    path: { segments: [], slash: true },
  })
  const described = found.representation.headers
  described.set('Content-Security-Policy', SANDBOX)
  if (found.representation.status === 200) described.set('Content-Type', item.mimetype)
  const response = await answerFound(c, found)
  bindToItem(c, item.id)
  return response
}
