import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { DnsUnavailableError } from '../../../platform/dns/query-dns.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { quotaRefusal } from '../../auth/quotas.ts'
import {
  type Domain,
  type DomainTarget,
  deleteDomain,
  claimDomain as insertClaim,
  selectDomain,
} from '../sql/domains.ts'
import { siteOfAddress } from '../sql/site-addresses.ts'
import { SITES_USED } from '../sql/used.ts'
import { upsertWaitingDomain, type WaitingDomain } from '../sql/waiting-domains.ts'
import { HostnameRefusedError } from './custom-hostnames.ts'
import { type Findings, findRecord, mergeSteps } from './domain-steps.ts'
import { followHostname } from './follow-hostnames.ts'
import { lookupRecords } from './lookup-domain.ts'
import { domainsOff, domainTaken, STALE_CLAIM_MS } from './refuse-claim.ts'
import { evictDomain } from './resolve-domain.ts'
import { recordText, wantedRecords } from './wanted-records.ts'

/** How long (ms) a missing record is looked up each minute. */
const WAIT = 86_400_000

export type Deps = { env: Pick<Env, 'DB' | 'BUCKET' | 'PUBLIC_FETCH'>; config: Config }
export type Claim = DomainTarget & { host: string; userId: string }

/** What DNS says of a claim: its record where it is proven. */
export interface ClaimProbe {
  proof: string | undefined
  findings: Findings
  /** Why the DNS lookup failed. */
  dnsError?: DnsUnavailableError
}

/** Looks up whether DNS names what a host is claimed for. `missing` is the state of a record that does not exist. */
export async function probeClaim(
  db: D1Database,
  claim: Claim,
  config: Pick<Config, 'dohUrl' | 'storageHost'>,
  missing: 'waiting' | 'failed',
): Promise<ClaimProbe> {
  const { dohUrl, storageHost } = config
  const { host, id } = claim
  const records = wantedRecords(host, claim, config)
  if (dohUrl === undefined) {
    throw domainsOff()
  }
  try {
    const seen = await lookupRecords(host, { dohUrl, storageHost, siteOf: siteOfAddress(db) })
    const { answer } = seen
    const proven = answer.found && answer.item === id
    const proof = proven ? recordText(answer.by === 'CNAME' ? records[0] : records[1]) : undefined
    return { proof, findings: findRecord(seen, { host, id, records }, missing) }
  } catch (cause) {
    if (!(cause instanceof DnsUnavailableError)) throw cause
    return { proof: undefined, findings: findRecord(undefined, { host, id, records }, missing), dnsError: cause }
  }
}

/**
 * Claims a host for what DNS names. Where Cloudflare is configured, the host becomes a custom hostname; while Cloudflare
 * does not answer, the claim is `pending` and is tried again.
 * @throws {AppError} 409 while DNS does not point here, where the host is another account's, or past the quota; 503.
 */
export async function claimDomain(deps: Deps, claim: Claim, now: number): Promise<Domain> {
  const look = await probeClaim(deps.env.DB, claim, deps.config, 'failed')
  if (look.proof !== undefined) return await claimProven(deps, claim, { ...look, proof: look.proof }, now)
  if (look.dnsError) {
    const { dnsError: cause } = look
    throw unavailable('resolver_unavailable', 'DNS lookup failed. Try again in a minute.', { cause })
  }
  const [byName, byText] = wantedRecords(claim.host, claim, deps.config).map(recordText)
  const message = `DNS does not point ${claim.host} to this ${claim.kind}. Make the record ${byName}, or where a CNAME cannot be, ${byText}.`
  throw new AppError(409, 'dns_not_pointing', message)
}

/**
 * Claims a host like {@link claimDomain}, or stores a pending claim for a day, in which DNS is looked up each minute. A pending
 * claim does not prevent others from claiming the host.
 * @throws {AppError} 409 where the host is another account's, or past the quota; 503.
 */
export async function claimOrWait(deps: Deps, claim: Claim, now: number): Promise<Domain | WaitingDomain> {
  const look = await probeClaim(deps.env.DB, claim, deps.config, 'waiting')
  if (look.proof !== undefined) return await claimProven(deps, claim, { ...look, proof: look.proof }, now)
  const { env, config } = deps
  const steps = JSON.stringify(mergeSteps([], look.findings, now))
  const waiting = { ...claim, waitUntil: now + WAIT, steps }
  if (await upsertWaitingDomain(env.DB, waiting, now, config.quotas.domains)) return waiting
  const refusal = await quotaRefusal(env.DB, claim.userId, SITES_USED, config.quotas, { domains: 1 })
  throw refusal ?? unavailable('busy', 'Another claim of yours is in progress. Try again.')
}

/** Claims a host whose DNS record proves the claim. @throws {AppError} 409, 503. */
export async function claimProven(
  { env, config }: Deps,
  claim: Claim,
  { proof, findings }: ClaimProbe & { proof: string },
  now: number,
): Promise<Domain> {
  const status = config.cloudflare ? 'pending' : 'active'
  const steps = JSON.stringify(mergeSteps([], findings, now))
  const row = { ...claim, status, record: proof, steps }
  if (!(await insertClaim(env.DB, row, now, now - STALE_CLAIM_MS, config.quotas.domains))) {
    const held = (await selectDomain(env.DB, claim.host))?.userId
    const own = held === claim.userId
    const refusal = own
      ? undefined
      : await quotaRefusal(env.DB, claim.userId, SITES_USED, config.quotas, { domains: 1 })
    if (refusal && held === undefined) throw refusal
    throw domainTaken()
  }
  evictDomain(claim.host)
  const domain = await selectDomain(env.DB, claim.host)
  if (!domain) throw new AppError(409, 'domain_taken', 'The host was released while it was being claimed. Try again.')
  try {
    return await followHostname({ env, config }, domain, 'account')
  } catch (cause) {
    if (!(cause instanceof HostnameRefusedError)) throw cause
    await deleteDomain(env.DB, claim.host, claim.userId)
    throw new AppError(409, 'host_refused', `The host cannot be registered. ${cause.message}`, { cause })
  }
}
