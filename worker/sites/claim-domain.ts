import { quotaRefusal } from '../accounts/quotas.ts'
import type { Env } from '../bindings.ts'
import { now as clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { DnsUnavailableError } from '../dns/query-dns.ts'
import { AppError, invalidField, notFound, unavailable } from '../http/errors.ts'
import { hostName } from '../http/host-name.ts'
import {
  type Domain,
  deleteDomain,
  claimDomain as insertClaim,
  ownsItem,
  selectDomain,
  takePendingDomains,
  updateDomainStatus,
} from '../storage/sites/domains.ts'
import { findHostname, HostnameRefusedError, registerHostname, removeHostname } from './custom-hostnames.ts'
import { lookupDomain } from './lookup-domain.ts'
import { isDomainName } from './match-domain.ts'
import { forgetDomain } from './resolve-domain.ts'

/** A claim whose record has not been seen for this long (ms) no longer keeps others from the host. */
const LAPSE = 7 * 86_400_000
const PENDING_AT_ONCE = 10

type Surroundings = { env: Pick<Env, 'DB'>; config: Config }

/** A host as a user writes it, in its one spelling. @throws {AppError} 400. */
export function parseClaimedHost(text: unknown, config: Pick<Config, 'baseUrl' | 'storageHost'>): string {
  const written = typeof text === 'string' && /^[^\s/?#@:\\]+$/.test(text) ? text : ''
  const host = URL.canParse(`http://${written}`) ? hostName(new URL(`http://${written}`).host) : ''
  if (!isDomainName(host)) throw invalidField('host', 'must be a domain name such as www.example.com.')
  for (const own of [hostName(config.baseUrl.host), hostName(config.storageHost)]) {
    if (host === own || host.endsWith(`.${own}`)) throw invalidField('host', 'is one of the names of this service.')
  }
  return host
}

/**
 * Claims a host for an item of the user's: DNS must say so first. Where Cloudflare is configured, the host becomes
 * a custom hostname; while Cloudflare cannot be asked the claim stands as `pending` and is tried again.
 * @throws {AppError} 404, 409, 503.
 */
export async function claimDomain(
  { env, config }: Surroundings,
  claim: { host: string; itemId: string; userId: string },
  now = clock(),
): Promise<Domain> {
  if (!(await ownsItem(env.DB, claim.itemId, claim.userId))) throw notFound('You have no item with this object id.')
  const record = await proveClaim(claim, config)
  const status = config.cloudflare ? 'pending' : 'active'
  const { quotas } = config
  if (!(await insertClaim(env.DB, { ...claim, status, record }, now, now - LAPSE, quotas.domains))) {
    const held = (await selectDomain(env.DB, claim.host))?.userId
    const refusal = held === claim.userId ? undefined : await quotaRefusal(env.DB, claim.userId, quotas, { domains: 1 })
    if (refusal) throw refusal
    throw new AppError(409, 'domain_taken', 'Another account has claimed this host and its record was seen lately.')
  }
  forgetDomain(claim.host)
  const domain = await selectDomain(env.DB, claim.host)
  if (!domain) throw new AppError(409, 'domain_taken', 'The host was given up while it was being claimed. Try again.')
  try {
    return await followHostname({ env, config }, domain)
  } catch (cause) {
    if (!(cause instanceof HostnameRefusedError)) throw cause
    await deleteDomain(env.DB, claim.host, claim.userId)
    throw new AppError(409, 'host_refused', `The host cannot be registered. ${cause.message}`, { cause })
  }
}

/** Gives a claim up. @throws {AppError} 404 unless it is the user's, 503 while Cloudflare cannot be asked. */
export async function releaseDomain({ env, config }: Surroundings, host: string, userId: string): Promise<void> {
  const domain = await selectDomain(env.DB, hostName(host))
  if (domain?.userId !== userId) throw notFound('You have not claimed this host.')
  if (config.cloudflare) {
    try {
      // A claim that was cut off may be registered there and not noted here.
      const id = domain.customHostnameId ?? (await findHostname(config.cloudflare, domain.host))?.id
      if (id !== undefined) await removeHostname(config.cloudflare, id)
    } catch (cause) {
      throw unavailable('hostnames_unavailable', 'The host cannot be released right now. Try again.', { cause })
    }
  }
  await deleteDomain(env.DB, domain.host, userId)
  forgetDomain(domain.host)
}

/** Asks Cloudflare about claims that are not active yet; a few at a time, each in its turn. */
export async function followPendingDomains({ env, config }: Surroundings, now = clock()): Promise<void> {
  if (!config.cloudflare) return
  for (const domain of await takePendingDomains(env.DB, now, PENDING_AT_ONCE)) {
    await followHostname({ env, config }, domain).catch((error) => console.error('hostname_refused', error))
  }
}

/** @throws {HostnameRefusedError}; any other failure leaves the claim as it is. */
async function followHostname({ env, config }: Surroundings, domain: Domain): Promise<Domain> {
  if (!config.cloudflare || domain.status === 'active') return domain
  try {
    const found = domain.customHostnameId ? await findHostname(config.cloudflare, domain.host) : undefined
    const { id, status } = found ?? (await registerHostname(config.cloudflare, domain.host))
    const stands = await updateDomainStatus(env.DB, domain, id, status)
    // Given up while Cloudflare was asked: nobody else would ever remove it there.
    if (!stands && !(await selectDomain(env.DB, domain.host))) await removeHostname(config.cloudflare, id)
    return { ...domain, customHostnameId: id, status }
  } catch (error) {
    if (error instanceof HostnameRefusedError) throw error
    console.error('hostname_pending', domain.host, error)
    return domain
  }
}

/** The record that proves the claim. @throws {AppError} 409 naming the record to make, 503. */
async function proveClaim(claim: { host: string; itemId: string }, config: Config): Promise<string> {
  const { host, itemId } = claim
  const byName = `${host} CNAME ${itemId}.${hostName(config.storageHost)}`
  const byText = `_hookline.${host} TXT "item=${itemId}"`
  const { dohUrl, storageHost } = config
  if (dohUrl === undefined)
    throw unavailable('domains_off', 'Domains are off here: the operator of this service has to set DOH_URL.')
  const answer = await lookupDomain(host, { dohUrl, storageHost }).catch((cause: unknown) => {
    if (!(cause instanceof DnsUnavailableError)) throw cause
    throw unavailable('resolver_unavailable', 'The DNS of this host cannot be asked right now. Try again.', { cause })
  })
  if (answer.found && answer.item === itemId) return answer.by === 'CNAME' ? byName : byText
  const message = `DNS does not point ${host} to this item. Make the record ${byName}, or where a CNAME cannot be, ${byText}.`
  throw new AppError(409, 'dns_not_pointing', message)
}
