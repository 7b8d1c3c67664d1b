import { signal } from '@preact/signals'
import { isRecord } from '../../client/http/parse-json.ts'
import { readEvents } from '../../client/resources/events.ts'
import type { ServiceEvent } from '../../client/types.ts'
import { transport } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { sleepUntilOnline } from './sleep-until-online.ts'

/** An event of the account, in every tab. */
export interface FeedEvent {
  type: string
  data: Record<string, unknown>
}

/** Interval of polling without a stream. */
const POLL_MS = 5_000
/** Milliseconds between attempts while the service cannot be reached. */
const DELAYS_MS = [1_000, 2_000, 5_000, 15_000]
/** Milliseconds to wait if the account has too many streams. */
const REFUSED_MS = 60_000

/** Whether the stream is open, and when something last arrived (ms). */
export const feedState = signal<{ live: boolean; lastEventAt: number }>({ live: false, lastEventAt: 0 })

/** Increases whenever the views should load their data again. */
export const refreshCount = signal(0)

const listeners = new Set<(event: FeedEvent) => void>()

/** Calls `listener` for every event. Returns a function that stops it. */
export function onEvent(listener: (event: FeedEvent) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Follows the events of an account with one stream for all tabs: the tab with the lock reads it and forwards the
 * events. Returns a function that stops it.
 */
export function followEvents(account: string): () => void {
  const controller = new AbortController()
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`hookline-events-${account}`) : undefined
  let lastId: string | undefined
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isShared(data)) return
    lastId = data.id
    if (feedState.value.live && !data.live) refreshCount.value++
    feedState.value = { live: data.live, lastEventAt: Date.now() }
    if (data.event) tell(data.event)
  })
  const state = (live: boolean) => {
    const changed = feedState.value.live !== live
    feedState.value = { live, lastEventAt: live ? Date.now() : feedState.value.lastEventAt }
    if (!changed) return
    channel?.postMessage({ id: lastId, live })
    // Events during the interruption were missed.
    if (!live) refreshCount.value++
  }
  const { signal: over } = controller
  const read = async () => {
    let failures = 0
    const onHeard = () => {
      failures = 0
      state(true)
    }
    while (!over.aborted) {
      try {
        const stream = readEvents(transport, {
          signal: over,
          lastEventId: lastId,
          onOpen: onHeard,
          onHeard,
          onBreak: () => state(false),
          sleep: sleepUntilOnline,
        })
        for await (const event of stream) {
          lastId = event.id ?? lastId
          tell(event)
          channel?.postMessage({ id: lastId, live: true, event })
        }
      } catch (error) {
        if (over.aborted) return
        state(false)
        const { status } = asFailure(error)
        const delay = DELAYS_MS[Math.min(failures++, DELAYS_MS.length - 1)] ?? REFUSED_MS
        await sleepUntilOnline(status === 429 || status === 404 ? REFUSED_MS : delay, over).catch(() => undefined)
      }
    }
  }
  if ('locks' in navigator) {
    navigator.locks.request(`hookline-events-${account}`, { signal: over }, read).catch(() => undefined)
  } else void read()
  const poll = setInterval(() => {
    if (!feedState.value.live && document.visibilityState === 'visible') refreshCount.value++
  }, POLL_MS)
  // A frozen tab has missed events.
  const seen = () => {
    if (document.visibilityState === 'visible') refreshCount.value++
  }
  document.addEventListener('visibilitychange', seen)
  addEventListener('online', seen)
  return () => {
    controller.abort()
    clearInterval(poll)
    document.removeEventListener('visibilitychange', seen)
    removeEventListener('online', seen)
    channel?.close()
    feedState.value = { live: false, lastEventAt: 0 }
  }
}

function tell({ type, data }: ServiceEvent): void {
  if (type === 'reset') refreshCount.value++
  else if (isRecord(data)) {
    const inner = 'data' in data ? data.data : data
    if (isRecord(inner)) for (const listener of listeners) listener({ type, data: inner })
  }
}

function isShared(data: unknown): data is { id: string | undefined; live: boolean; event?: ServiceEvent } {
  return isRecord(data) && 'live' in data
}
