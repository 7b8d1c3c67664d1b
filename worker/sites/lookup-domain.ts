import { type DnsRecord, queryDns } from '../dns/query-dns.ts'
import { itemOfTarget, itemOfTexts } from './match-domain.ts'

/** What DNS says of a host; `ttl` in seconds, the shortest on the way. */
export type DomainAnswer = { found: true; by: 'CNAME' | 'TXT'; item: string; ttl: number } | { found: false }

/** CNAMEs followed from a host before we stop believing in an end. */
const MAX_HOPS = 8

/**
 * Asks DNS which item a host is to show: by its CNAME, or by the TXT record of an apex, which can have none.
 * @throws {DnsUnavailableError} when neither says, and one could not be asked.
 */
export async function lookupDomain(
  host: string,
  config: { dohUrl: string; storageHost: string },
  fetcher: typeof fetch = fetch,
): Promise<DomainAnswer> {
  const [byName, byText] = await Promise.allSettled([
    followNames(host, config, fetcher),
    queryDns(config.dohUrl, `_hookline.${host}`, 'TXT', fetcher).then(itemOfTexts),
  ])
  if (byName.status === 'fulfilled' && byName.value) return { found: true, by: 'CNAME', ...byName.value }
  if (byText.status === 'fulfilled' && byText.value) return { found: true, by: 'TXT', ...byText.value }
  for (const outcome of [byName, byText]) if (outcome.status === 'rejected') throw outcome.reason
  return { found: false }
}

async function followNames(
  host: string,
  { dohUrl, storageHost }: { dohUrl: string; storageHost: string },
  fetcher: typeof fetch,
): Promise<{ item: string; ttl: number } | undefined> {
  const known = new Map<string, DnsRecord>()
  let name = host
  let ttl = Number.POSITIVE_INFINITY
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    // Some resolvers answer with the whole chain at once.
    if (!known.has(name)) {
      for (const record of await queryDns(dohUrl, name, 'CNAME', fetcher)) {
        if (record.type === 'CNAME') known.set(record.name, record)
      }
    }
    const record = known.get(name)
    if (!record) return undefined
    ttl = Math.min(ttl, record.ttl)
    name = record.data
    const item = itemOfTarget(name, storageHost)
    if (item) return { item, ttl }
  }
  return undefined
}
