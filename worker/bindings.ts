import type { ChainAgent } from './chain-agent.ts'
import type { ContentFetcher } from './content-fetcher.ts'
import type { ItemMerger } from './item-merger.ts'
import type { Variables } from './read-config.ts'

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
