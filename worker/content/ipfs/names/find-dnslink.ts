import { cacheSeconds, DnsUnavailableError, queryDns } from '../../../platform/dns/query-dns.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'

/** Where a domain points, and for how many seconds that holds. */
export interface Dnslink {
  /** A content path. */
  value: string
  ttl: number
}

const recent = new MemoryCache<{ link: Dnslink | undefined; until: number }>(4 << 10)

/**
 * The DNSLink of a domain, from `_dnslink.<domain>` or the domain itself (DNSLink specification); `undefined` when
 * DNS says that there is none. `now` in milliseconds since 1970.
 * @throws {AppError} 502 when the resolver cannot be asked, 503 when the operator configured none.
 */
export async function findDnslink(
  domain: string,
  dohUrl: string | undefined,
  now: number,
): Promise<Dnslink | undefined> {
  const known = recent.get(domain)
  if (known && now < known.until) return known.link && { ...known.link, ttl: secondsLeft(known.until, now) }
  if (dohUrl === undefined) {
    throw unavailable('no_resolver', 'Domain names cannot be resolved here: the operator configured no resolver.')
  }
  const link = await askResolver(domain, dohUrl)
  const until = now + cacheSeconds(link?.ttl ?? 0) * 1000
  recent.set(domain, { link, until }, 512 + (link?.value.length ?? 0))
  return link
}

async function askResolver(domain: string, dohUrl: string): Promise<Dnslink | undefined> {
  for (const name of [`_dnslink.${domain}`, domain]) {
    const records = await queryDns(dohUrl, name, 'TXT').catch((cause: unknown) => {
      if (!(cause instanceof DnsUnavailableError)) throw cause
      const message = `The DNSLink of ${domain} cannot be read right now. Try again later.`
      throw new AppError(502, 'dns_unavailable', message, { headers: { 'Retry-After': '30' }, cause })
    })
    const links = records
      .filter(({ type, data }) => type === 'TXT' && /^dnslink=\/ip[fn]s\/./.test(data))
      .map(({ data, ttl }) => ({ value: data.slice('dnslink='.length), ttl: cacheSeconds(ttl) }))
    // Of several, the first in the order of text, so that every gateway uses the same.
    const [first] = links.sort((a, b) => (a.value < b.value ? -1 : 1))
    if (first) return first
  }
  return undefined
}

function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}
