import type { D1Migration } from 'cloudflare:test'
import type * as worker from '../../worker/index.ts'
import type { Env as WorkerEnv } from '../../worker/platform/bindings.ts'

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof worker
      durableNamespaces: 'ChainAgent' | 'ContentFetcher' | 'ItemMerger'
    }
    interface Env extends WorkerEnv {
      ITEM_MERGER: DurableObjectNamespace<worker.ItemMerger>
      TEST_MIGRATIONS: D1Migration[]
      /** Set by `npm run test:large`. */
      TEST_LARGE: string
    }
  }
}
