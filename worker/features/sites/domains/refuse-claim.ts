import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { quotaRefusal } from '../../auth/quotas.ts'
import { isHeldByAnother } from '../sql/domains.ts'
import { SITES_USED } from '../sql/used.ts'
import { findOwnDomain } from './find-own-domain.ts'

/** A claim whose record has not been seen for this long (ms) no longer prevents other claims of the host. */
export const STALE_CLAIM_MS = 7 * 86_400_000

export const domainTaken = () =>
  new AppError(
    409,
    'domain_taken',
    'Another account has claimed this host, and its DNS record was seen within the last week. Ask that account to release it.',
  )

/** The refusal of every claim where the operator has set no resolver. */
export const domainsOff = () =>
  unavailable('domains_off', 'Domains are turned off: the operator of this service has not set DOH_URL.')

/**
 * Refuses a claim of this host by this user that would fail with any DNS records. Claims nothing, and sends no DNS query.
 * @throws {AppError} 409 where the host is another account's, or past the quota; 503 where domains are off
 */
export async function refuseClaim(
  { env, config }: { env: Pick<Env, 'DB'>; config: Pick<Config, 'dohUrl' | 'quotas'> },
  { host, userId }: { host: string; userId: string },
  now: number,
): Promise<void> {
  if (config.dohUrl === undefined) throw domainsOff()
  if (await isHeldByAnother(env.DB, { host, userId }, now - STALE_CLAIM_MS)) throw domainTaken()
  if (await findOwnDomain(env.DB, host, userId)) return
  const refusal = await quotaRefusal(env.DB, userId, SITES_USED, config.quotas, { domains: 1 })
  if (refusal) throw refusal
}
