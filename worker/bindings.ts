import type { ChainAgent } from './chain-agent.ts'
import { type Config, ConfigurationError, checkConfig, type Variable } from './config.ts'
import type { ContentFetcher } from './content-fetcher.ts'
import type { ItemMerger } from './item-merger.ts'

export type { ChainConfig, Config } from './config.ts'
export { ConfigurationError } from './config.ts'
export type { RpcEndpoint } from './parse-setting.ts'

/** What the operator set, unchecked. */
export type Variables = Partial<Record<Variable, string>>

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

const checked = new WeakMap<Variables, Config | ConfigurationError>()

/**
 * The checked configuration of this isolate, read once.
 * @throws {ConfigurationError} naming every variable that is missing or wrong.
 */
export function readConfig(env: Variables): Config {
  let outcome = checked.get(env)
  if (!outcome) {
    outcome = checkConfig(env)
    checked.set(env, outcome)
    if (outcome instanceof ConfigurationError) console.error(outcome.message)
  }
  if (outcome instanceof ConfigurationError) throw outcome
  return outcome
}
