import { forgetDataPolicies } from '../../worker/chain/rpc/data-policy.ts'
import { forgetReservations } from '../../worker/content/cache/admit-to-cache.ts'
import { forgetDenylist } from '../../worker/content/denylist/denylist.ts'
import { forgetKeptConsoleBuild } from '../../worker/features/console/console-builds.ts'
import { forgetHealth } from '../../worker/features/health/routes/health.ts'
import { forgetKeptBuild } from '../../worker/features/hook/hook-builds.ts'
import { forgetReasons } from '../../worker/features/payments/describe-target.ts'
import { forgetFeeRates } from '../../worker/features/payments/recent-fee-rate.ts'
import { MemoryCache } from '../../worker/platform/flow/memory-cache.ts'

/** Every cache that something was put into since the last time. */
const filled = new Set<{ clear(): void }>()

const { set } = MemoryCache.prototype
MemoryCache.prototype.set = function (...args: Parameters<typeof set>) {
  filled.add(this)
  set.apply(this, args)
}

/** Makes the Worker's modules forget what requests left in them, as in a new isolate. */
export function clearMemories(): void {
  for (const cache of filled) cache.clear()
  filled.clear()
  forgetDataPolicies()
  forgetDenylist()
  forgetReservations()
  forgetKeptBuild()
  forgetKeptConsoleBuild()
  forgetHealth()
  forgetReasons()
  forgetFeeRates()
}
