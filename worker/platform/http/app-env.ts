import type { Env } from '../bindings.ts'
import type { Config } from '../config/config.ts'
import type { CountedLimit, RateLimitName } from './rate-limits.ts'
import type { CachedResponse } from './response-cache.ts'

/** The bindings and variables of every handler's context. */
export interface AppEnv {
  Bindings: Env
  Variables: {
    config: Config
    /** The limit by client address that the request was counted against. */
    limit?: RateLimitName
    /** The limits that the database counted it against, for the headers of the answer; see `setRateLimitHeaders`. */
    counted: CountedLimit[]
    /** The answer that the handler wants in the response cache, once the headers of the host are added. */
    cacheable?: CachedResponse
  }
}
