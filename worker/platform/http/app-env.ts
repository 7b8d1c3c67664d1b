import type { Env } from '../bindings.ts'
import type { Config } from '../config/config.ts'
import type { CountedLimit, RateLimitName } from './rate-limits.ts'
import type { CachedResponse } from './response-cache.ts'

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env
  Variables: {
    config: Config
    /** What the request was counted against, by the address of its sender. */
    limit?: RateLimitName
    /** What it was counted against in the database, for the answer to tell; see `setRateLimitHeaders`. */
    counted: CountedLimit[]
    /** What the handler leaves there to be given again from memory, once the host's own headers are on it. */
    cacheable?: CachedResponse
  }
}
