import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import {
  deleteRemovedDomain,
  expireClaim,
  leaseDomainsToProbe,
  leaseDomainsToRemove,
  updateDomainSeen,
} from '../sql/domains.ts'
import { probeClaim } from './claim-domain.ts'
import { STALE_CLAIM_MS } from './refuse-claim.ts'
import { removeRegistered } from './release-domain.ts'
import { evictDomain } from './resolve-domain.ts'

type Deps = { env: Pick<Env, 'DB' | 'BUCKET'>; config: Config }

const DAY = 86_400_000
/** Claims in a run: checked, and removed. */
const LOOK_AT_ONCE = 20
const REMOVE_AT_ONCE = 10

/**
 * Checks once a day whether DNS still names what each claim shows, and releases those of which it did not for a week. While
 * DNS lookups fail, nothing lapses.
 */
export async function expireClaims({ env, config }: Deps, now: number): Promise<void> {
  if (config.dohUrl === undefined) return
  for (const domain of await leaseDomainsToProbe(env.DB, now, now - DAY, LOOK_AT_ONCE)) {
    const { proof, dnsError } = await probeClaim(domain, config, 'failed')
    if (dnsError) console.error('domain_not_looked_at', domain.host, dnsError)
    else if (proof !== undefined) await updateDomainSeen(env.DB, domain, now)
    else if (await expireClaim(env.DB, domain, now - STALE_CLAIM_MS)) console.info('domain_lapsed', domain.host)
  }
}

/** Removes released claims at Cloudflare too, a few at a time; what fails is tried again. */
export async function removeDomains({ env, config }: Deps, now: number): Promise<void> {
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
