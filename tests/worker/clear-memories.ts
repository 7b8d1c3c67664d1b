import { env } from 'cloudflare:test'
import { keptBodies } from '../../worker/content/chain/content-store.ts'
import { forgetDenylist } from '../../worker/content/denylist/denylist.ts'
import { isolateBudget } from '../../worker/platform/flow/memory-cache.ts'

/** Makes the Worker's modules forget what requests left in them, as in a new isolate. */
export function clearMemories(): void {
  isolateBudget.clear()
  keptBodies(env).clear()
  forgetDenylist()
}
