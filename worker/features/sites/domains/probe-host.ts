import { DnsUnavailableError, queryDns, type RecordType } from '../../../platform/dns/query-dns.ts'
import { readCapped } from '../../../platform/flow/read-capped.ts'
import { hostName, isLoopback } from '../../../platform/http/host-name.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import type { DomainTarget } from '../sql/domains.ts'
import { HOST_CHECK_PATH } from './answer-host-check.ts'
import type { Deps } from './claim-domain.ts'
import { countedFetch } from './counted-fetch.ts'
import { findHostname } from './custom-hostnames.ts'
import { type Finding, type Findings, findCertificate, findConflict } from './domain-steps.ts'

/** Domains from a host upwards whose CAA records are looked up (RFC 8659, 3). */
const MAX_CLIMB = 10
const ANSWER_TIMEOUT = 10_000
const ANSWER_BYTES = 1024

/** Checks what beside its record decides whether a host shows its site: addresses, CAA, certificate and its answer. */
export async function probeHost(
  { env, config }: Deps,
  { host, id }: DomainTarget & { host: string },
  { target }: Findings,
): Promise<Findings> {
  const { dohUrl, cloudflare, storageHost, baseUrl } = config
  if (dohUrl === undefined) return {}
  const [own, ours, caa, certificate] = await Promise.all([
    addressesOf(dohUrl, host),
    addressesOf(dohUrl, `${id}.${hostName(storageHost)}`),
    caaOf(dohUrl, host),
    cloudflare && findHostname(cloudflare, host, countedFetch(env.DB, 'account')).catch(logged),
  ])
  const conflict = findConflict(own, ours)
  const findings = {
    conflict,
    caa: findCaa(caa, cloudflare !== undefined),
    certificate: findCertificate(certificate?.certificate),
  }
  // Requests are sent to our own addresses only, never to those in a stranger's records.
  if (target?.state !== 'ok' || conflict.state !== 'ok') return findings
  const port = /:\d+$/.exec(storageHost)?.[0] ?? ''
  const url = `${baseUrl.protocol}//${host}${port}${HOST_CHECK_PATH}`
  // Beside Cloudflare this leads to public addresses alone; on one's own machine there are none.
  const outside = isLoopback(hostName(baseUrl.host)) ? undefined : env.PUBLIC_FETCH
  const ask = (init: RequestInit) => (outside ? outside.fetch(url, init) : fetch(url, init))
  return { ...findings, answer: await findAnswer(ask, id) }
}

/** The addresses of a name, by A and AAAA; `undefined` where the DNS lookup failed. */
async function addressesOf(dohUrl: string, name: string): Promise<string[] | undefined> {
  const [four, six] = await Promise.all([recordsOf(dohUrl, name, 'A'), recordsOf(dohUrl, name, 'AAAA')])
  return four && six && [...four, ...six]
}

/** The CAA records that hold for a host: its own, or those of the nearest domain above it that has any. */
async function caaOf(dohUrl: string, host: string): Promise<string[] | undefined> {
  const labels = host.split('.')
  for (let above = 0; above < Math.min(labels.length, MAX_CLIMB); above++) {
    const records = await recordsOf(dohUrl, labels.slice(above).join('.'), 'CAA')
    if (!records || records.length > 0) return records
  }
  return []
}

async function recordsOf(dohUrl: string, name: string, type: RecordType): Promise<string[] | undefined> {
  try {
    return (await queryDns(dohUrl, name, type)).flatMap((record) => (record.type === type ? [record.data] : []))
  } catch (error) {
    if (error instanceof DnsUnavailableError) return undefined
    throw error
  }
}

/** Whether this service answers at the host: it returns which item or site the host shows. */
async function findAnswer(ask: (init: RequestInit) => Promise<Response>, id: string): Promise<Finding> {
  try {
    const response = await ask({ redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    const bytes = await readCapped(response, ANSWER_BYTES, () => new Error('The answer is too long.'))
    const text = new TextDecoder().decode(bytes).trim()
    if (response.status === 200 && text === id) return { state: 'ok', found: id, wanted: null }
    return { state: 'failed', found: `status ${response.status}`, wanted: id }
  } catch (error) {
    // A request that failed is no wrong answer.
    console.info('host_not_asked', error)
    return { state: 'unknown', found: null, wanted: id }
  }
}

function logged(error: unknown): undefined {
  logOnceAMinute('error', 'hostname_not_asked', error)
  return undefined
}

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
function findCaa(records: readonly string[] | undefined, makesCertificates: boolean): Finding {
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
