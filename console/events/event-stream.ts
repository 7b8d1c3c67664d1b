import { createEventParser, type StreamMessage } from '../core/parse-events.ts'
import { accessToken, renewAccess } from '../session/access.ts'
import { waitForNetwork } from './wait-for-network.ts'

/** Nothing for so long, heartbeats included, means that the connection is dead. */
const SILENCE_MS = 25_000
/** Between two tries while the service can't be reached. */
const DELAYS_MS = [1_000, 2_000, 5_000, 15_000]
/** After a refusal of one stream more than an account may have. */
const REFUSED_MS = 60_000

export interface StreamHandlers {
  onMessage(message: StreamMessage): void
  /** Whether events come by themselves now; where not, the caller asks. */
  onState(state: 'live' | 'refused' | 'broken'): void
  /** Where to go on; kept by whoever follows this tab. */
  lastId(): string
}

/** Reads the account's events until `signal` is aborted, from the last one that was read. */
export async function readEvents(handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const ended = await readOnce(handlers, signal).catch(() => 'broken' as const)
    if (signal.aborted) return
    if (ended === 'ended') {
      // The service ends each stream after minutes and when its token ends.
      failures = 0
      continue
    }
    handlers.onState(ended)
    failures++
    const delay = ended === 'refused' ? REFUSED_MS : (DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? 15_000)
    await waitForNetwork(delay, signal)
  }
}

async function readOnce(handlers: StreamHandlers, signal: AbortSignal): Promise<'ended' | 'refused' | 'broken'> {
  const token = await accessToken()
  if (token === undefined) return 'broken'
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort, { once: true })
  let timer = setTimeout(abort, SILENCE_MS)
  try {
    const lastId = handlers.lastId()
    const response = await fetch('/v0/events', {
      signal: controller.signal,
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'text/event-stream',
        ...(lastId !== '' && { 'Last-Event-ID': lastId }),
      },
    })
    if (response.status === 401) await renewAccess(token)
    if (!response.ok || !response.body) return response.status === 429 || response.status === 404 ? 'refused' : 'broken'
    handlers.onState('live')
    const parse = createEventParser(lastId)
    const decoder = new TextDecoder()
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return 'ended'
      clearTimeout(timer)
      timer = setTimeout(abort, SILENCE_MS)
      for (const message of parse(decoder.decode(value, { stream: true }))) handlers.onMessage(message)
      handlers.onState('live')
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    controller.abort()
  }
}
