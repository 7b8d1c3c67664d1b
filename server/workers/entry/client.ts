import { isIn, type Network, parseAddress } from './networks.ts'

/** How many hops of `X-Forwarded-For` are read, from the last one. */
const MOST_HOPS = 20

/** Who sent a request, and whether the proxies that it came through are ours. */
export interface Client {
  /** `undefined` where the connection has none, as a Unix socket. */
  address: string | undefined
  /** Whether what the last hop says of host and protocol is believed. */
  isProxied: boolean
  /** Whether a trusted proxy named the address and it is none of ours: it is one client's, on a private network too. */
  isNamed: boolean
}

/** The last hop that is no trusted proxy. `peer`: of the socket, as workerd says it; `forwarded`: `X-Forwarded-For`. */
export function findClient(peer: unknown, forwarded: string | null, trusted: readonly Network[]): Client {
  let address = typeof peer === 'string' ? withoutPort(peer) : undefined
  const isTrusted = (text: string | undefined) => {
    const bits = text === undefined ? undefined : parseAddress(text)
    return bits !== undefined && isIn(bits, trusted)
  }
  if (!isTrusted(address)) return { address, isProxied: false, isNamed: false }
  const hops = (forwarded ?? '').split(',').slice(-MOST_HOPS).reverse()
  for (const hop of hops) {
    const next = withoutPort(hop.trim())
    if (next === undefined) break
    address = next
    if (!isTrusted(address)) break
  }
  return { address, isProxied: true, isNamed: !isTrusted(address) }
}

/** An address without its port; `undefined` for what is none. */
function withoutPort(text: string): string | undefined {
  const [, six, four] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i.exec(text) ?? []
  const address = six ?? four ?? text
  return parseAddress(address) === undefined ? undefined : address
}
