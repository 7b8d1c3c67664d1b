import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { readConfig } from '../bindings.ts'
import { type Denylist, refuseDenied } from '../denylist.ts'
import { type BlockSource, openBlockStore } from './block-store.ts'

/** The blocks that one request may read, as it asked for them and as the operator configured. */
export function openRequestStore(c: Context<AppEnv>, denied: Denylist): BlockSource {
  return openBlockStore({
    bucket: c.env.BUCKET,
    refuse: (cid) => refuseDenied(denied, { cids: [cid] }),
    gateways: readConfig(c.env).ipfs.gateways,
    onlyIfCached: /(?:^|,)\s*only-if-cached\s*(?:,|$)/i.test(c.req.header('Cache-Control') ?? ''),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  })
}
