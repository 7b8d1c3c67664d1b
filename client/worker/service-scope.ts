/** What is used of `ServiceWorkerGlobalScope`, whose types exclude those of pages. */
export interface ServiceScope {
  registration: { scope: string }
  location: { href: string }
  clients: {
    claim(): Promise<void>
    get(id: string): Promise<{ postMessage(message: unknown): void } | undefined>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate' | 'message', listener: (event: LastingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

/** An event for which the browser keeps the worker running. */
interface LastingEvent {
  waitUntil(work: Promise<unknown>): void
}

/** A request of a page. */
interface FetchEvent extends LastingEvent {
  request: Request
  clientId: string
  respondWith(response: Promise<Response>): void
}

/** Whether this is the scope of a service worker. */
export function isServiceScope(scope: unknown): scope is ServiceScope {
  return typeof scope === 'object' && scope !== null && 'skipWaiting' in scope && 'registration' in scope
}
