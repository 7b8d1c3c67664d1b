import { sleep } from '../../reader/sleep.ts'
import { HooklineError } from '../http/api-error.ts'
import { parseJson } from '../http/parse-json.ts'
import type { Transport } from '../http/transport.ts'
import type { Json, ServiceEvent } from '../types.ts'
import type { CallOptions } from './call-options.ts'

export interface EventOptions extends CallOptions {
  /** Continues after this event. If the service no longer has it, an event `reset` is sent first. */
  lastEventId?: string | undefined
  /** Called each time the stream opens. */
  onOpen?: () => void
  /** Called for everything that arrives, heartbeats included. */
  onHeard?: () => void
  /** Called each time the stream breaks, before it is reopened. Changes in between are reported late. */
  onBreak?: () => void
  sleep?: typeof sleep
}

/** The service sends a heartbeat at least every 10 s. */
const SILENCE_MS = 30_000
const PAUSE_MS = 2000
const MAX_EVENT = 1 << 20

/** Events of the account. Reopens the stream after the last event whenever it ends. */
export async function* readEvents(transport: Transport, options: EventOptions): AsyncGenerator<ServiceEvent> {
  const { signal } = options
  const wait = options.sleep ?? sleep
  let last = options.lastEventId
  for (;;) {
    const response = await transport.open({
      method: 'GET',
      path: '/v0/events',
      headers: { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) },
      signal,
    })
    options.onOpen?.()
    try {
      for await (const event of parseEvents(readText(response, options))) {
        last = event.id ?? last
        // The first message of a stream only tells where to resume.
        if (event.type !== '') yield event
      }
    } catch (error) {
      signal?.throwIfAborted()
      // A broken stream is reopened. An event that is too large would be too large again.
      if (error instanceof HooklineError && error.code !== 'timeout') throw error
      options.onBreak?.()
    }
    await wait(PAUSE_MS, signal)
  }
}

async function* readText(response: Response, { signal, onHeard }: EventOptions): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => void reader.cancel(signal?.reason).catch(() => {})
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const silent = new Promise<never>((_, reject) => {
        const message = 'No event and no heartbeat arrived for 30 seconds.'
        timer = setTimeout(() => reject(new HooklineError('timeout', message)), SILENCE_MS)
      })
      const { done, value } = await Promise.race([reader.read(), silent])
      clearTimeout(timer)
      signal?.throwIfAborted()
      if (done) return
      onHeard?.()
      yield value
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    reader.cancel().catch(() => {})
  }
}

/** Events of a stream (HTML, "Server-sent events", interpreting an event stream); one without data has no type. */
export async function* parseEvents(text: AsyncIterable<string>): AsyncGenerator<ServiceEvent> {
  let rest = ''
  let id: string | undefined
  let type = ''
  let data: string[] = []
  for await (const piece of text) {
    rest += piece
    if (rest.length > MAX_EVENT) throw new HooklineError('answer_too_large', 'An event is larger than 1 MiB.')
    // A CR at the end may be half of a CRLF.
    const held = rest.endsWith('\r') ? '\r' : ''
    const lines = rest.slice(0, rest.length - held.length).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + held
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, type: type || 'message', data: readData(data.join('\n')) }
        else if (id !== undefined) yield { id, type: '', data: undefined }
        type = ''
        data = []
        id = undefined
        continue
      }
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'event') type = value
      else if (name === 'data') data.push(value)
      else if (name === 'id' && !value.includes('\0')) id = value
    }
  }
}

function readData(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
