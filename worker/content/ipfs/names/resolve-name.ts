import type { CID } from 'multiformats/cid'
import { parseCid } from '../../../../protocol/cid.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { parseSubPath } from './content-path.ts'
import { findDnslink } from './find-dnslink.ts'
import { type IpnsName, parseIpnsName } from './ipns-name.ts'
import { findIpnsRecord, type RecordSource } from './ipns-records.ts'

/** The current target of a mutable name. */
export interface ResolvedName {
  root: CID
  /** Segments below the root that the name points to. */
  below: string[]
  /** Seconds for which this may be stored. */
  ttl: number
}

export interface NameSource extends RecordSource {
  dohUrl: string | undefined
}

/** Names may point to names, but not for ever. */
const MAX_STEPS = 8

/**
 * The CID to which a name leads, through other names if needed.
 * @throws {AppError} 404 for a domain without DNSLink, 502 if a name does not resolve, 503, 504.
 */
export async function resolveName(name: IpnsName, source: NameSource): Promise<ResolvedName> {
  let current = name
  let below: readonly string[] = []
  let ttl = Number.POSITIVE_INFINITY
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = await readName(current, source)
    ttl = Math.min(ttl, next.ttl)
    const [, namespace, text = '', rest = ''] = /^\/(ipfs|ipns)\/([^/]+)(.*)$/.exec(next.value) ?? []
    below = [...parseSubPath(rest).segments, ...below]
    const root = namespace === 'ipfs' ? parseCid(text) : undefined
    if (root) return { root, below: [...below], ttl }
    const another = namespace === 'ipns' ? parseIpnsName(text) : undefined
    if (!another) throw notResolved(current, `it points to "${next.value}", which is no content path`)
    current = another
  }
  throw notResolved(name, `it points on more than ${MAX_STEPS} times`)
}

async function readName(name: IpnsName, source: NameSource): Promise<{ value: string; ttl: number }> {
  if (name.kind === 'key') {
    const record = await findIpnsRecord(name.key, name.text, source)
    const left = Math.max(0, Math.floor((record.validUntil - source.now) / 1000))
    return { value: record.value, ttl: Math.min(record.ttl, left) }
  }
  const link = await findDnslink(name.domain, source.dohUrl, source.now)
  if (link) return link
  throw new AppError(404, 'no_dnslink', `The domain ${name.domain} has no DNSLink record.`)
}

function notResolved(name: IpnsName, problem: string): AppError {
  const message = `The name ${name.text} could not be resolved: ${problem}.`
  return new AppError(502, 'name_not_resolved', message, { headers: { 'Retry-After': '60' } })
}
