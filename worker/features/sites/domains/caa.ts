import type { Finding } from './domain-steps.ts'

/** The authorities that Cloudflare has certificates of custom hostnames from, as CAA records name them. */
const AUTHORITIES = ['pki.goog', 'letsencrypt.org', 'ssl.com']

/** A property of a CAA record (RFC 8659, 4.1). */
interface Caa {
  tag: string
  value: string
}

/**
 * Reads a CAA record as resolvers write it: `0 issue "ca.example"`, or the bytes of a type that they do not know
 * (`\# <length> <hex>`, RFC 3597, 5).
 */
function parseCaa(data: string): Caa | undefined {
  const generic = /^\\# \d+ ([0-9a-fA-F ]+)$/.exec(data)
  if (generic?.[1] !== undefined) {
    const bytes = Buffer.from(generic[1].replaceAll(' ', ''), 'hex')
    const length = bytes[1] ?? 0
    if (bytes.length < 2 + length) return undefined
    return { tag: bytes.toString('latin1', 2, 2 + length).toLowerCase(), value: bytes.toString('latin1', 2 + length) }
  }
  const [, tag, value] = /^\d+ ([0-9a-zA-Z]+) "?([^"]*)"?$/.exec(data) ?? []
  return tag === undefined || value === undefined ? undefined : { tag: tag.toLowerCase(), value }
}

/**
 * Whether the CAA records of a host, or of the nearest domain above it that has any, let a certificate be made; `unknown`
 * where the DNS lookup failed. Where no certificate is made here, records that restrict it mean nothing.
 */
export function findCaa(records: readonly string[] | undefined, makesCertificates: boolean): Finding {
  if (!records) return { state: 'unknown', found: null, wanted: null }
  const issue = records.map(parseCaa).filter((record) => record?.tag === 'issue')
  const found = records.length === 0 ? null : records.join(', ')
  if (issue.length === 0) return { state: 'ok', found, wanted: null }
  if (!makesCertificates) return { state: 'unknown', found, wanted: null }
  const allowed = issue.some((record) => AUTHORITIES.includes(record?.value.split(';')[0]?.trim().toLowerCase() ?? ''))
  return allowed
    ? { state: 'ok', found, wanted: null }
    : { state: 'failed', found, wanted: AUTHORITIES.map((authority) => `0 issue "${authority}"`).join(' or ') }
}
