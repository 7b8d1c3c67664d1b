import type { QueuedEvent } from '../../platform/records/event-queue.ts'

/** Shows that the stream is alive, and nothing else (HTML, "Server-sent events"); every reader ignores it. */
export const HEARTBEAT = ':\n\n'

/** The text of an event, for streams and webhooks alike; `at` in milliseconds, `data` is JSON text. */
export function eventBody(type: string, at: number, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date(at).toISOString()}","data":${data}}`
}

/** The first message: after how many milliseconds to reconnect, and the id from which to continue then. */
export function greeting(last: number): string {
  return `retry: 2000\nid: ${last}\n\n`
}

/** An event as a message of a stream. */
export function eventMessage({ seq, type, at, data }: QueuedEvent): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${eventBody(type, at, data)}\n\n`
}

/** The state of an item or a payment now, as a message; without an id, since it is not stored. */
export function snapshotMessage(type: 'item' | 'request', at: number, data: string): string {
  return `event: ${type}\ndata: ${eventBody(type, at, data)}\n\n`
}

/** The message that events were missed, so that everything shown has to be requested. */
export function resetMessage(last: number, at: number): string {
  return `id: ${last}\nevent: reset\ndata: ${eventBody('reset', at, '{}')}\n\n`
}
