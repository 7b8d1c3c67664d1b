import { readFileSync } from 'node:fs'
import type { WorkerModule } from '../scripts/bundle-worker.ts'

/** The built Worker with a count of what Cloudflare bills, which it answers at `/meter` (workers/meter.mjs). */
export function meteredWorker(modules: readonly WorkerModule[]): WorkerModule[] {
  const meter = readFileSync(new URL('./workers/meter.mjs', import.meta.url), 'utf8')
  const contents = meter.replace('../../worker/index.ts', `./${modules[0]?.path}`)
  return [{ type: 'ESModule', path: 'meter.mjs', contents }, ...modules]
}
