import { readCapped } from '../flow/read-capped.ts'

/** Record types by number (RFC 1035, RFC 3596, RFC 8659). */
const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 } as const
export type RecordType = keyof typeof TYPES

export interface DnsRecord {
  /** Lower-cased, without the trailing dot. */
  name: string
  type: RecordType
  /** Seconds. */
  ttl: number
  /** CNAME: the target, written as `name` is. TXT: the text, its strings joined. Others: as the resolver wrote it. */
  data: string
}

/** The resolver sent no usable answer, so nothing is known about the name. */
export class DnsUnavailableError extends Error {
  override name = 'DnsUnavailableError'
}

const TIMEOUT = 5_000
const MAX_BYTES = 64 * 1024
const MIN_TTL = 30
const MAX_TTL = 3600
const NOERROR = 0
const NXDOMAIN = 3

/** How long (seconds) an answer of this time to live is stored. */
export function cacheSeconds(ttl: number): number {
  return Math.min(MAX_TTL, Math.max(MIN_TTL, ttl))
}

/**
 * The records that a resolver returns for `name`, including the CNAMEs that lead to them; an empty list where there are
 * none. Uses DNS over HTTPS in the JSON form (`application/dns-json`) of public resolvers. Requests only `dohUrl`,
 * no matter what the name is.
 * @throws {DnsUnavailableError} also for SERVFAIL, which a resolver sends for a bogus signature.
 */
export async function queryDns(
  dohUrl: string,
  name: string,
  type: RecordType,
  fetcher: typeof fetch = fetch,
): Promise<DnsRecord[]> {
  const url = new URL(dohUrl)
  url.searchParams.set('name', name)
  url.searchParams.set('type', type)
  try {
    const response = await fetcher(url.href, {
      headers: { Accept: 'application/dns-json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const text = new TextDecoder().decode(await readCapped(response, MAX_BYTES, tooLong))
    return parseDnsAnswer(JSON.parse(text))
  } catch (cause) {
    throw new DnsUnavailableError(`No answer for ${type} ${name}`, { cause })
  }
}

/** The records of a DNS answer in JSON; other types are skipped. @throws {Error} where it is no DNS answer. */
export function parseDnsAnswer(answer: unknown): DnsRecord[] {
  if (typeof answer !== 'object' || answer === null || !('Status' in answer)) throw new Error('not a DNS answer')
  if (answer.Status !== NOERROR && answer.Status !== NXDOMAIN) throw new Error(`DNS status ${String(answer.Status)}`)
  const entries: unknown = 'Answer' in answer ? answer.Answer : []
  if (!Array.isArray(entries)) throw new Error('not a DNS answer')
  return entries.flatMap((entry: unknown) => parseRecord(entry) ?? [])
}

function tooLong(): Error {
  return new Error(`the answer is longer than ${MAX_BYTES} bytes`)
}

function parseRecord(entry: unknown): DnsRecord | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { name, type, TTL, data }: Record<string, unknown> = { ...entry }
  if (typeof name !== 'string' || typeof data !== 'string' || typeof TTL !== 'number' || !(TTL >= 0)) return undefined
  const common = { name: dnsName(name), ttl: TTL }
  if (type === TYPES.CNAME) return { ...common, type: 'CNAME', data: dnsName(data) }
  if (type === TYPES.TXT) return { ...common, type: 'TXT', data: joinStrings(data) }
  const other = (['A', 'AAAA', 'CAA'] as const).find((name) => TYPES[name] === type)
  return other && { ...common, type: other, data }
}

function dnsName(text: string): string {
  return text.toLowerCase().replace(/\.$/, '')
}

// A TXT record is several strings of at most 255 bytes; resolvers quote each, some only where they must.
function joinStrings(data: string): string {
  const strings = data.match(/"(?:[^"\\]|\\.)*"/g)
  return strings ? strings.map((text) => text.slice(1, -1).replace(/\\(.)/g, '$1')).join('') : data
}
