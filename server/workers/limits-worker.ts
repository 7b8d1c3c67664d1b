import { WorkerEntrypoint } from 'cloudflare:workers'

/** Clients that are counted in a period; beyond them the first ones are forgotten. */
const MOST_CLIENTS = 100_000

interface Limit {
  /** Tells limits apart. */
  name: string
  limit: number
  /** Seconds. */
  period: number
}

interface Window {
  epoch: number
  counts: Map<string, number>
}

const windows = new Map<string, Window>()

/** Counts in memory, in windows of the clock: a restart forgets them, and nothing is written. */
export default class RateLimits extends WorkerEntrypoint<unknown, Limit> {
  /** As the platform's rate limit. */
  async limit({ key }: { key: string }): Promise<{ success: boolean }> {
    const { name, limit, period } = this.ctx.props
    const epoch = Math.floor(Date.now() / (period * 1000))
    const known = windows.get(name)
    const window = known?.epoch === epoch ? known : { epoch, counts: new Map<string, number>() }
    windows.set(name, window)
    const count = window.counts.get(key) ?? 0
    if (count >= limit) return { success: false }
    if (count === 0 && window.counts.size >= MOST_CLIENTS) {
      for (const first of window.counts.keys()) {
        window.counts.delete(first)
        break
      }
    }
    window.counts.set(key, count + 1)
    return { success: true }
  }
}
