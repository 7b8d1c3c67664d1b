import type { ChainAgent } from './chain-agent/chain-agent.ts'
import type { ContentFetcher } from './chain-content/content-fetcher.ts'
import type { Variables } from './config/read-config.ts'
import type { ItemMerger } from './items/item-merger.ts'

/** What the platform hands to every request. */
export interface Env extends Variables {
  DB: D1Database
  BUCKET: R2Bucket
  CHAIN_AGENT: DurableObjectNamespace<ChainAgent>
  CONTENT_FETCHER: DurableObjectNamespace<ContentFetcher>
  ITEM_MERGER: DurableObjectNamespace<ItemMerger>
  READ_LIMIT: RateLimit
  WRITE_LIMIT: RateLimit
}
