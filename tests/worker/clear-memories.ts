import { forgetKeptConsoleBuild } from '../../worker/console/console-builds.ts'
import { forgetDenylist } from '../../worker/denylist/denylist.ts'
import { MemoryCache } from '../../worker/flow/memory-cache.ts'
import { forgetKeptBuild } from '../../worker/hook/hook-builds.ts'
import { forgetReasons } from '../../worker/payments/describe-target.ts'
import { forgetFeeRates } from '../../worker/payments/recent-fee-rate.ts'
import { forgetHealth } from '../../worker/routes/health.ts'
import { forgetReservations } from '../../worker/storage/cache/admit-to-cache.ts'

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
  forgetDenylist()
  forgetReservations()
  forgetKeptBuild()
  forgetKeptConsoleBuild()
  forgetHealth()
  forgetReasons()
  forgetFeeRates()
}
