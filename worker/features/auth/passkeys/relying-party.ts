import type { Config } from '../../../platform/config/config.ts'
import { hostName, isLoopback } from '../../../platform/http/host-name.ts'

/** Whom passkeys are for: `id` is the host that they are bound to, `origin` that of the pages that may ask for them. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The relying party (WebAuthn Level 3, 5.1.2) of a request: the host of `BASE_URL`, and where that is this machine
 * `localhost` at the port of the request, since browsers accept no IP address. `undefined` for a page under an IP address.
 */
export function relyingParty(requestUrl: string, { baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty | undefined {
  if (!isLoopback(baseUrl.host)) return { id: hostName(baseUrl.host), origin: baseUrl.origin }
  const { hostname, origin } = new URL(requestUrl)
  return hostname === 'localhost' ? { id: hostname, origin } : undefined
}
