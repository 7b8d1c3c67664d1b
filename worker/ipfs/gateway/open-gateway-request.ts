import type { Context } from 'hono'
import { readConfig } from '../../config/read-config.ts'
import { type Denylist, refuseDenied } from '../../denylist/denylist.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { openBlockStore } from '../blocks/block-store.ts'
import type { IpfsRequest } from '../formats/found-content.ts'

/** A request with the blocks that it may read, as it asked for them and as the operator configured. */
export function openGatewayRequest(
  c: Context<AppEnv>,
  denied: Denylist,
): Pick<IpfsRequest, 'request' | 'source' | 'denied'> {
  const source = openBlockStore({
    bucket: c.env.BUCKET,
    refuse: (cid) => refuseDenied(denied, { cids: [cid] }),
    gateways: readConfig(c.env).ipfs.gateways,
    onlyIfCached: /(?:^|,)\s*only-if-cached\s*(?:,|$)/i.test(c.req.header('Cache-Control') ?? ''),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  })
  return { request: c.req.raw, source, denied }
}
