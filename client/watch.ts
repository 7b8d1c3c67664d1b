import { sleep } from '../reader/sleep.ts'
import type { CallOptions, itemsOf } from './resources/items.ts'
import type { Item } from './types.ts'

export interface WatchOptions extends CallOptions {
  /** Milliseconds between two looks. */
  interval?: number
  sleep?: typeof sleep
}

const INTERVAL_MS = 2000

/**
 * Items as they change, each once at the beginning; ends when all are stored or stopped. A look that fails for good
 * ends it with that error.
 */
export async function* watchItems(
  items: Pick<ReturnType<typeof itemsOf>, 'get'>,
  ids: readonly string[],
  { signal, interval = INTERVAL_MS, sleep: wait = sleep }: WatchOptions,
): AsyncGenerator<Item> {
  const open = new Set(ids)
  const seen = new Map<string, string>()
  while (open.size > 0) {
    for (const id of [...open]) {
      const item = await items.get(id, { signal })
      if (item.status === '200 OK' || item.status === '409 Conflict') open.delete(id)
      const text = JSON.stringify(item)
      if (seen.get(id) === text) continue
      seen.set(id, text)
      yield item
    }
    if (open.size > 0) await wait(interval, signal)
  }
}
