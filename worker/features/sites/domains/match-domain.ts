import { isObjectId } from '../../../../protocol/object-id.ts'
import { isSiteAddress } from '../../../../protocol/site-address.ts'
import type { DnsRecord } from '../../../platform/dns/query-dns.ts'
import { isSpecialName } from '../../../platform/dns/special-names.ts'
import { hostName } from '../../../platform/http/host-name.ts'

/** The item or site a CNAME target names: `<object id>.<storage host>`. */
export function itemOfTarget(target: string, storageHost: string): string | undefined {
  const label = labelOf(target, storageHost)
  return isObjectId(label) ? label : undefined
}

/** The address of a site that a CNAME target may be: `<address>.<storage host>`. */
export function addressOfTarget(target: string, storageHost: string): string | undefined {
  const label = labelOf(target, storageHost)
  return isSiteAddress(label) ? label : undefined
}

/** What precedes the storage host; empty where the target is no name below it. */
function labelOf(target: string, storageHost: string): string {
  const suffix = `.${hostName(storageHost)}`
  return target.endsWith(suffix) ? target.slice(0, -suffix.length) : ''
}

/** The item or site that a `_hookline.<host>` TXT record names; two that disagree name none. */
export function itemOfTexts(records: readonly DnsRecord[]): { item: string; ttl: number } | undefined {
  const named = records.flatMap(({ type, data, ttl }) => {
    const [, item] = (type === 'TXT' && /^(?:item|site)=(.*)$/.exec(data.trim())) || []
    return isObjectId(item) ? [{ item, ttl }] : []
  })
  const [first] = named
  return first && named.every(({ item }) => item === first.item) ? first : undefined
}

/** Whether a host can have records of its own in public DNS: a name of two labels or more that is not reserved for private networks, and no address. */
export function isDomainName(host: string): boolean {
  // Below localhost a service on one's own machine shows its sites; nobody else's names end there (RFC 6761, 6.3).
  if (host.length > 253 || (isSpecialName(host) && !host.endsWith('.localhost'))) return false
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  return !/^\d+$/.test(last) && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
}
