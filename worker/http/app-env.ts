import type { Caller } from '../auth/require-token.ts'
import type { Env } from '../bindings.ts'
import type { Config } from '../config/config.ts'

/** What every handler of the API host finds in its context. */
export interface AppEnv {
  Bindings: Env
  /** `caller` is there behind `requireToken`. */
  Variables: { config: Config; caller: Caller }
}
