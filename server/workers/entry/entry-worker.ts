import { findClient } from './client.ts'
import { type Network, parseNetworks } from './networks.ts'

interface Env {
  MAIN: Fetcher
  CLOCK: Fetcher & { start(): Promise<void> }
  TRUSTED_PROXIES: string
}

/** What only a trusted proxy may say. */
const OF_PROXIES = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto']

let trusted: Network[] | undefined
let isStarted = false

/**
 * What listens for clients. The main Worker behind it believes `cf` and the `X-Forwarded-…` headers, so that nothing
 * that a client sends arrives there as one of them.
 */
export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (!isStarted) {
      isStarted = true
      ctx.waitUntil(env.CLOCK.start())
    }
    return await env.MAIN.fetch(cleanRequest(request, env))
  },
}

function cleanRequest(request: Request, env: Env): Request {
  trusted ??= parseNetworks(env.TRUSTED_PROXIES)
  const client = findClient(request.cf?.clientIp, request.headers.get('X-Forwarded-For'), trusted)
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()]) {
    if (/^(?:cf|mf)-/i.test(name)) headers.delete(name)
  }
  if (!client.isProxied) for (const name of OF_PROXIES) headers.delete(name)
  const cf = {
    clientAcceptEncoding: request.headers.get('Accept-Encoding') ?? '',
    ...(client.address === undefined ? {} : { clientIp: inBrackets(client.address) }),
    clientIsNamed: client.isNamed,
  }
  return new Request(request, { headers, cf })
}

/** As workerd writes an address. */
function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
