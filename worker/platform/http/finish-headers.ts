import { corsHeaders } from './cors.ts'
import { NO_STORE } from './policies.ts'

/** What the headers of an answer depend on beside the answer itself. */
export interface HeaderFinish {
  /** Of the URL; `/ipfs/` on a host that is a gateway and nothing else. */
  path: string
  /** Whether the status is a success. */
  ok: boolean
  /** `Origin` of the request. */
  origin: string | null
  consoleOrigins: string[]
}

/** Adds what every answer of the API host and of the gateway's hosts carries; the one place that does. */
export function finishHeaders(headers: Headers, { path, ok, origin, consoleOrigins }: HeaderFinish): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  // The gateway's specification leaves some of its answers without caching.
  const uncached = !ok || !/^\/ip[fn]s(?:\/|$)/.test(path)
  if (uncached && !headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE)
  for (const [name, value] of Object.entries(corsHeaders(path, origin, { consoleOrigins }))) {
    if (name === 'Vary') headers.append(name, value)
    else headers.set(name, value)
  }
}
