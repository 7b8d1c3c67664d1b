import { sleep } from '../../reader/sleep.ts'
import { isRecord } from '../http/parse-json.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { EventOptions } from '../resources/events.ts'
import type { itemsOf } from '../resources/items.ts'
import type { Item, ServiceEvent } from '../types.ts'

export interface WatchOptions extends CallOptions {
  /** Milliseconds between two polls. */
  interval?: number
  sleep?: typeof sleep
}

/** Opens the events of the account. */
type OpenEvents = (options: EventOptions) => AsyncIterable<ServiceEvent>

const INTERVAL_MS = 2000
/** While events report the changes, everything is still polled at this interval. */
const LIVE_INTERVAL_MS = 60_000

/**
 * Items each time they change, and each once at the beginning. Ends when all are stored or stopped. With an event
 * stream only changed items are requested; without one, all are, every interval. A poll that fails for good ends it
 * with that error.
 */
export async function* watchItems(
  items: Pick<ReturnType<typeof itemsOf>, 'get'>,
  ids: readonly string[],
  { signal, interval = INTERVAL_MS, sleep: wait = sleep, events }: WatchOptions & { events?: OpenEvents | undefined },
): AsyncGenerator<Item> {
  const open = new Set(ids)
  const seen = new Map<string, string>()
  const heard = followChanges(events, signal)
  try {
    for (let due = [...open]; open.size > 0; ) {
      for (const id of due) {
        const item = await items.get(id, { signal })
        if (item.status === '200 OK' || item.status === '409 Conflict') open.delete(id)
        const text = JSON.stringify(item)
        if (seen.get(id) === text) continue
        seen.set(id, text)
        yield item
      }
      due = []
      for (let waited = 0; open.size > 0 && due.length === 0; ) {
        await wait(interval, signal)
        waited += interval
        due = heard.take(open, waited >= LIVE_INTERVAL_MS)
      }
    }
  } finally {
    heard.stop()
  }
}

/** Listens to events while the caller works. `take` returns the ids to poll now: all of them without a stream. */
function followChanges(events: OpenEvents | undefined, signal: AbortSignal | undefined) {
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal?.addEventListener('abort', stop, { once: true })
  const changed = new Set<string>()
  let live = false
  // No event reports what changed before the stream began or while it was interrupted.
  let missed = true

  async function listen(open: OpenEvents): Promise<void> {
    const onOpen = () => {
      live = true
    }
    for await (const { type, data } of open({ signal: controller.signal, onOpen })) {
      if (type === 'reset') missed = true
      const about = isRecord(data) && isRecord(data.data) ? data.data.id : undefined
      if (typeof about === 'string') changed.add(about)
    }
  }
  if (events && !signal?.aborted) {
    // Refused, for example because too many streams are open, or broken: then everything is polled.
    listen(events)
      .catch(() => undefined)
      .finally(() => {
        live = false
      })
  }
  return {
    take(open: ReadonlySet<string>, all: boolean): string[] {
      const named = [...open].filter((id) => all || !live || missed || changed.has(id))
      if (live) missed = false
      changed.clear()
      return named
    },
    stop() {
      signal?.removeEventListener('abort', stop)
      controller.abort()
    },
  }
}
