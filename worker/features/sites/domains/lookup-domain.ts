import { type DnsRecord, queryDns } from '../../../platform/dns/query-dns.ts'
import { addressOfTarget, itemOfTarget, itemOfTexts } from './match-domain.ts'

/** What DNS says of a host; `ttl` in seconds, the shortest on the way. */
export type DomainAnswer = { found: true; by: 'CNAME' | 'TXT'; item: string; ttl: number } | { found: false }

/** CNAMEs followed from a host at most. */
const MAX_HOPS = 8

/** What a lookup needs: the resolver, and which site a readable address is, or was last, that of. */
export interface DomainLookup {
  dohUrl: string
  storageHost: string
  siteOf: (address: string) => Promise<string | undefined>
}

/** The records by which a host can name something, as they are. */
export interface SeenRecords {
  /** Where the CNAME of the host points. */
  name: string | undefined
  /** The TXT records of `_hookline.<host>`. */
  texts: readonly string[]
}

/**
 * Asks DNS which item or site a host is to show: by its CNAME, to an id or to the readable address of a
 * site, or by the TXT record of an apex, which can have none.
 * @returns what DNS names, and the records that were seen.
 * @throws {DnsUnavailableError} when neither names one, and a lookup failed.
 */
export async function lookupRecords(
  host: string,
  config: DomainLookup,
  fetcher: typeof fetch = fetch,
): Promise<{ answer: DomainAnswer; seen: SeenRecords }> {
  const [names, texts] = await Promise.allSettled([
    followNames(host, config, fetcher),
    queryDns(config.dohUrl, `_hookline.${host}`, 'TXT', fetcher),
  ])
  const byName = names.status === 'fulfilled' ? names.value.named : undefined
  const byText = texts.status === 'fulfilled' ? itemOfTexts(texts.value) : undefined
  const seen = {
    name: names.status === 'fulfilled' ? names.value.first : undefined,
    texts: texts.status === 'fulfilled' ? texts.value.flatMap(({ type, data }) => (type === 'TXT' ? [data] : [])) : [],
  }
  if (byName) return { answer: { found: true, by: 'CNAME', ...byName }, seen }
  if (byText) return { answer: { found: true, by: 'TXT', ...byText }, seen }
  for (const outcome of [names, texts]) if (outcome.status === 'rejected') throw outcome.reason
  return { answer: { found: false }, seen }
}

async function followNames(
  host: string,
  { dohUrl, storageHost, siteOf }: DomainLookup,
  fetcher: typeof fetch,
): Promise<{ first: string | undefined; named?: { item: string; ttl: number } }> {
  const known = new Map<string, DnsRecord>()
  let name = host
  let first: string | undefined
  let ttl = Number.POSITIVE_INFINITY
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    // Some resolvers answer with the whole chain at once.
    if (!known.has(name)) {
      for (const record of await queryDns(dohUrl, name, 'CNAME', fetcher)) {
        if (record.type === 'CNAME') known.set(record.name, record)
      }
    }
    const record = known.get(name)
    if (!record) return { first }
    ttl = Math.min(ttl, record.ttl)
    name = record.data
    first ??= name
    const address = addressOfTarget(name, storageHost)
    const item = address === undefined ? itemOfTarget(name, storageHost) : await siteOf(address)
    if (item) return { first, named: { item, ttl } }
  }
  return { first }
}
