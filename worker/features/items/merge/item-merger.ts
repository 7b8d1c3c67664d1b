import { DurableObject } from 'cloudflare:workers'
import type { Env, ItemMergerRpc } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'

/** How long a request waits for a merge before it is answered with 202, in milliseconds. */
const MERGE_TIMEOUT_MS = 10_000

/** Waits after failed tries, doubled each time; in milliseconds. */
const FIRST_RETRY = 2_000
const MAX_RETRY = 300_000

/**
 * One per item: does its merge, outside of any request and through crashes, as the alarm is stored until the merge
 * is done. What it found is in D1.
 */
export class ItemMerger extends DurableObject<Env> implements ItemMergerRpc {
  #waiting: (() => void)[] = []

  /** Begins the merge, unless it is under way. */
  async begin(itemId: string): Promise<void> {
    await this.ctx.storage.put({ itemId, tries: 0 })
    await this.ctx.storage.setAlarm(now())
  }

  /** Begins the merge and resolves when a try of it ended, or after {@link MERGE_TIMEOUT_MS}. */
  async merge(itemId: string): Promise<void> {
    await this.begin(itemId)
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      setTimeout(resolve, MERGE_TIMEOUT_MS)
    })
  }

  override async alarm(): Promise<void> {
    const itemId = await this.ctx.storage.get<string>('itemId')
    if (itemId === undefined) return
    // A try without an end, not even a failure, was cut off for its CPU; the platform then runs this alarm again.
    const cutOff = (await this.ctx.storage.get<number>('cutOff')) ?? 0
    await this.ctx.storage.put({ cutOff: cutOff + 1 })
    try {
      const { mergeItem } = await import('./merge-item.ts')
      await mergeItem(this.env, itemId, now, cutOff)
      await this.ctx.storage.deleteAll()
    } catch (error) {
      console.error('merge_failed', itemId, error)
      await this.ctx.storage.put({ cutOff })
      await this.#tryLater()
    } finally {
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  async #tryLater(): Promise<void> {
    const tries = (await this.ctx.storage.get<number>('tries')) ?? 0
    await this.ctx.storage.put({ tries: tries + 1 })
    await this.ctx.storage.setAlarm(now() + Math.min(MAX_RETRY, FIRST_RETRY * 2 ** tries))
  }
}
