import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import {
  deleteRemovedDomain,
  expireClaim,
  leaseDomainsToProbe,
  leaseDomainsToRemove,
  sweepDomainAnswers,
  updateDomainSeen,
} from '../sql/domains.ts'
import { type Deps, probeClaim } from './claim-domain.ts'
import { followPendingDomains } from './follow-hostnames.ts'
import { pollPendingDomains } from './poll-pending-domains.ts'
import { STALE_CLAIM_MS } from './refuse-claim.ts'
import { removeRegistered } from './release-domain.ts'
import { evictDomain } from './resolve-domain.ts'
import { sweepHostnames } from './sweep-hostnames.ts'

/** How long what DNS said of a host is remembered that nobody visits, in milliseconds. */
const ANSWERS_KEPT = LIFETIMES.domainAnswer * 1000

const forgetAnswers = async ({ env }: Deps, now: number) => await sweepDomainAnswers(env.DB, now - ANSWERS_KEPT)

/** What is done each minute for domains, each a bounded batch. @throws when any failed, after all were tried. */
export async function runDomainJobs(deps: Deps, now: number): Promise<void> {
  const jobs = [followPendingDomains, pollPendingDomains, expireClaims, removeDomains, sweepHostnames, forgetAnswers]
  const outcomes = await Promise.allSettled(jobs.map((job) => job(deps, now)))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw new AggregateError(failures, 'Some jobs of domains failed.')
}

const DAY = 86_400_000
/** Claims in a run: checked, and removed. */
const LOOK_AT_ONCE = 20
const REMOVE_AT_ONCE = 10

/**
 * Checks once a day whether DNS still names what each claim shows, and releases those of which it did not for a week. While
 * DNS lookups fail, nothing lapses.
 */
async function expireClaims({ env, config }: Deps, now: number): Promise<void> {
  if (config.dohUrl === undefined) return
  for (const domain of await leaseDomainsToProbe(env.DB, now, now - DAY, LOOK_AT_ONCE)) {
    const { proof, dnsError } = await probeClaim(env.DB, domain, config, 'failed')
    if (dnsError) console.error('domain_not_looked_at', domain.host, dnsError)
    else if (proof !== undefined) await updateDomainSeen(env.DB, domain, now)
    else if (await expireClaim(env.DB, domain, now - STALE_CLAIM_MS)) console.info('domain_lapsed', domain.host)
  }
}

/** Removes released claims at Cloudflare too, a few at a time; what fails is tried again. */
async function removeDomains({ env, config }: Deps, now: number): Promise<void> {
  for (const domain of await leaseDomainsToRemove(env.DB, now, REMOVE_AT_ONCE)) {
    const { host, customHostnameId } = domain
    try {
      if (config.cloudflare) await removeRegistered(env, config.cloudflare, domain, 'job')
      await deleteRemovedDomain(env.DB, host, customHostnameId)
      evictDomain(host)
    } catch (error) {
      console.error('hostname_not_removed', host, error)
    }
  }
}
