import type { QueuedEvent } from '../../platform/records/event-queue.ts'

/** Says that the stream is there, and nothing else (HTML, "Server-sent events"); every reader passes it over. */
export const HEARTBEAT = ':\n\n'

/** The text in which an event is told, to streams and webhooks alike; `at` in milliseconds, `data` is JSON text. */
export function eventBody(type: string, at: number, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date(at).toISOString()}","data":${data}}`
}

/** The first message: after how many milliseconds to come again, and where to go on then. */
export function greeting(last: number): string {
  return `retry: 2000\nid: ${last}\n\n`
}

/** An event as a message of a stream. */
export function eventMessage({ seq, type, at, data }: QueuedEvent): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${eventBody(type, at, data)}\n\n`
}

/** What an item or a payment is like now, as a message; without a number, since it is not stored. */
export function snapshotMessage(type: 'item' | 'request', at: number, data: string): string {
  return `event: ${type}\ndata: ${eventBody(type, at, data)}\n\n`
}

/** The message that events were missed, so that everything shown has to be requested. */
export function resetMessage(last: number, at: number): string {
  return `id: ${last}\nevent: reset\ndata: ${eventBody('reset', at, '{}')}\n\n`
}
