import type { WorkerModule } from '../scripts/bundle-worker.ts'
import type { LoadGenerator } from './load/load-generator.ts'
import type { CountedDevnet } from './start-product.ts'

/** What every group of rows works with. */
export interface Bench {
  /** The short form, for CI. */
  quick: boolean
  /** The Worker as `npm run deploy` builds it. */
  modules: WorkerModule[]
  devnet: CountedDevnet
  load: LoadGenerator
  /** Whether to measure the row with this id. */
  isSelected(id: string): boolean
  progress(text: string): void
}
