import { readEvents } from '../../client/resources/events.ts'
import type { ServiceEvent } from '../../client/types.ts'
import { transport } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { sleepUntilOnline } from './sleep-until-online.ts'

/** Milliseconds between attempts while the service cannot be reached. */
const DELAYS_MS = [1_000, 2_000, 5_000, 15_000]
/** Milliseconds to wait if the account has too many streams. */
const REFUSED_MS = 60_000

interface StreamHandlers {
  onEvent(event: ServiceEvent): void
  /** Whether the stream is open; if not, the caller polls. */
  onState(live: boolean): void
  /** The last event id, which the caller stores. */
  lastId(): string | undefined
}

/** Follows the account's events until `signal` is aborted, from the last one that was read. */
export async function followStream(handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let failures = 0
  const onHeard = () => {
    failures = 0
    handlers.onState(true)
  }
  while (!signal.aborted) {
    try {
      const stream = readEvents(transport, {
        signal,
        lastEventId: handlers.lastId(),
        onOpen: onHeard,
        onHeard,
        onBreak: () => handlers.onState(false),
        sleep: sleepUntilOnline,
      })
      for await (const event of stream) handlers.onEvent(event)
    } catch (error) {
      if (signal.aborted) return
      handlers.onState(false)
      const { status } = asFailure(error)
      const delay = DELAYS_MS[Math.min(failures++, DELAYS_MS.length - 1)] ?? REFUSED_MS
      await sleepUntilOnline(status === 429 || status === 404 ? REFUSED_MS : delay, signal).catch(() => undefined)
    }
  }
}
