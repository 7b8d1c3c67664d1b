import { isObjectId } from '../../protocol/object-id.ts'
import type { Config } from '../config/config.ts'

/** Which of the Worker's faces a host name asks for. */
export type HostKind =
  | { kind: 'api' }
  | { kind: 'storage' }
  /** `<label>.ipfs.<storage host>` or `<label>.ipns.<storage host>`. */
  | { kind: 'subdomain'; namespace: 'ipfs' | 'ipns'; label: string }
  | { kind: 'item'; id: string }
  /** Any other name: somebody's own domain. */
  | { kind: 'domain'; host: string }
  /** Under the storage host, and none of its names. */
  | { kind: 'unknown' }

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** `Host` in lower case, without port and without the root's trailing dot. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
}

/** Sorts a `Host` value; pure. */
export function classifyHost(host: string, config: Pick<Config, 'baseUrl' | 'storageHost'>): HostKind {
  const name = hostName(host)
  const base = hostName(config.baseUrl.host)
  if (name === base || (LOOPBACK.has(name) && LOOPBACK.has(base))) return { kind: 'api' }
  const storage = hostName(config.storageHost)
  if (name === storage) return { kind: 'storage' }
  if (!name.endsWith(`.${storage}`)) return { kind: 'domain', host: name }
  const label = name.slice(0, -storage.length - 1)
  const match = /^(.+)\.(ipfs|ipns)$/.exec(label)
  if (match?.[1]) return { kind: 'subdomain', namespace: match[2] === 'ipns' ? 'ipns' : 'ipfs', label: match[1] }
  return isObjectId(label) ? { kind: 'item', id: label } : { kind: 'unknown' }
}

/**
 * The URL as the client wrote it. `X-Forwarded-Host` and `X-Forwarded-Proto` count where the operator says that a
 * proxy of theirs sets them, and nowhere else: anyone can send them.
 */
export function clientUrl(request: Request, config: Pick<Config, 'trustForwardedHost'>): URL {
  const url = new URL(request.url)
  if (!config.trustForwardedHost) return url
  const host = request.headers.get('X-Forwarded-Host')?.split(',')[0]?.trim()
  const protocol = request.headers.get('X-Forwarded-Proto')?.split(',')[0]?.trim()
  const base = `${protocol === 'https' || protocol === 'http' ? `${protocol}:` : url.protocol}//${host || url.host}`
  return URL.canParse(base) ? new URL(`${base}${url.pathname}${url.search}`) : url
}
