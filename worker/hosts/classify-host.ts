import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { isObjectId } from '../../protocol/object-id.ts'
import { isSiteAddress } from '../../protocol/site-address.ts'
import type { Config } from '../platform/config/config.ts'
import { hostName, isLoopback } from '../platform/http/host-name.ts'

/** Which of the Worker's faces a host name asks for. */
export type HostKind =
  | { kind: 'api' }
  | { kind: 'storage' }
  /** `<label>.ipfs.<storage host>` or `<label>.ipns.<storage host>`. */
  | { kind: 'subdomain'; namespace: 'ipfs' | 'ipns'; label: string }
  | { kind: 'item'; id: string }
  /** A label that has the form of a site's readable address, whether it is one or not. */
  | { kind: 'address'; label: string }
  /** `<chain>.<storage host>`: what others wrote, by ord's paths. */
  | { kind: 'chain'; blockchain: Blockchain }
  /** Where a page's helper shows one site: 32 bytes in base32. */
  | { kind: 'frame' }
  /** Any other name: a customer's own domain. */
  | { kind: 'domain'; host: string }
  /** Under the storage host, and none of its names. */
  | { kind: 'unknown' }

/** Sorts a `Host` value; pure. */
export function classifyHost(host: string, config: Pick<Config, 'baseUrl' | 'storageHost'>): HostKind {
  const name = hostName(host)
  const base = hostName(config.baseUrl.host)
  if (name === base || (isLoopback(name) && isLoopback(base))) return { kind: 'api' }
  const storage = hostName(config.storageHost)
  if (name === storage) return { kind: 'storage' }
  if (!name.endsWith(`.${storage}`)) return { kind: 'domain', host: name }
  const label = name.slice(0, -storage.length - 1)
  const match = /^(.+)\.(ipfs|ipns)$/.exec(label)
  if (match?.[1]) return { kind: 'subdomain', namespace: match[2] === 'ipns' ? 'ipns' : 'ipfs', label: match[1] }
  if (/^[a-z2-7]{52}$/.test(label)) return { kind: 'frame' }
  const blockchain = BLOCKCHAINS.find((chain) => chain.toLowerCase() === label)
  if (blockchain) return { kind: 'chain', blockchain }
  if (isObjectId(label)) return { kind: 'item', id: label }
  return isSiteAddress(label) ? { kind: 'address', label } : { kind: 'unknown' }
}

/**
 * Whether a path is requested by certificate authorities and by Cloudflare, of whoever runs the host: content, which
 * somebody else can change, never answers there.
 */
export function isProofOfHost(pathname: string): boolean {
  return /^\/\.well-known\/(?:acme-challenge|pki-validation|cf-custom-hostname-challenge)(?:\/|$)/.test(pathname)
}
