import service from 'service.mjs'
import { type Client, findClient } from './client.ts'
import { type Network, parseNetworks } from './networks.ts'

export * from 'service.mjs'

interface Env {
  CLOCK: Fetcher & { start(): Promise<void> }
  TRUSTED_PROXIES: string
}

/** What only a trusted proxy may say. */
const OF_PROXIES = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Methods of most requests. */
const HAVE_NO_BODY = ['GET', 'HEAD']

/** Clients that are remembered: their number, and the characters of what names one. */
const [MOST_KNOWN, LONGEST_KEY] = [4096, 256]

const known = new Map<string, Client>()
let trusted: Network[] | undefined
let isStarted = false

/**
 * What listens for clients. The main Worker believes `cf` and the `X-Forwarded-…` headers, so that nothing that a client
 * sends arrives there as one of them. It is in the same isolate: as a Worker of its own this took as long as the whole
 * answer to a warm GET (2,400 a second in place of 4,300).
 */
export default {
  ...service,
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    if (!isStarted) {
      isStarted = true
      ctx.waitUntil(env.CLOCK.start())
    }
    return service.fetch(cleanRequest(request, env), env, ctx)
  },
}

function cleanRequest(request: Request, env: Env): Request {
  const client = clientOf(request.cf?.clientIp, request.headers.get('X-Forwarded-For'), env)
  const refused = [...request.headers.keys()].filter((name) => isRefused(name, client.isProxied))
  const cf = {
    clientAcceptEncoding: request.headers.get('Accept-Encoding') ?? '',
    clientIp: client.address === undefined ? undefined : inBrackets(client.address),
    clientIsNamed: client.isNamed,
  }
  if (refused.length === 0 && HAVE_NO_BODY.includes(request.method)) return withProperties(request, cf)
  const headers = new Headers(request.headers)
  for (const name of refused) headers.delete(name)
  return new Request(request, { headers, cf })
}

/** {@link findClient}, once for each connection and what is said on it. */
function clientOf(peer: unknown, forwarded: string | null, env: Env): Client {
  const key = `${String(peer)} ${forwarded ?? ''}`
  const found = known.get(key)
  if (found) return found
  trusted ??= parseNetworks(env.TRUSTED_PROXIES)
  const client = findClient(peer, forwarded, trusted)
  if (known.size >= MOST_KNOWN) known.clear()
  if (key.length <= LONGEST_KEY) known.set(key, client)
  return client
}

/**
 * The same request with another `cf`, which workerd has frozen. A copy would cost a fifth of a warm answer of 1 KB; but
 * what the main Worker copies itself has the new one only where it says so, as it does of these methods.
 */
function withProperties(request: Request, cf: Record<string, unknown>): Request {
  return Object.defineProperty(request, 'cf', { value: cf })
}

/** `name` in lower case, as `Headers` has it. */
function isRefused(name: string, isProxied: boolean): boolean {
  return name.startsWith('cf-') || name.startsWith('mf-') || (!isProxied && OF_PROXIES.includes(name))
}

/** As workerd writes an address. */
function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
