import { corsHeaders, isGatewayPath } from './cors.ts'
import { NO_STORE } from './policies.ts'

/** What the headers that {@link finishHeaders} adds depend on. */
export interface HeaderFinish {
  /** The path of the URL; `/ipfs/` on a host of the gateway alone. */
  path: string
  /** Whether the status is a success. */
  ok: boolean
  /** `Origin` of the request. */
  origin: string | null
  consoleOrigins: string[]
}

/** Adds the headers of every answer of the API host and of the gateway's hosts. No other code adds them. */
export function finishHeaders(headers: Headers, { path, ok, origin, consoleOrigins }: HeaderFinish): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  // The gateway's specification has answers without `Cache-Control`.
  const uncached = !ok || !isGatewayPath(path)
  if (uncached && !headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE)
  for (const [name, value] of Object.entries(corsHeaders(path, origin, { consoleOrigins }))) {
    if (name === 'Vary') headers.append(name, value)
    else headers.set(name, value)
  }
}
