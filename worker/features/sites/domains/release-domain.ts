import type { Env } from '../../../platform/bindings.ts'
import { notFound, unavailable } from '../../../platform/http/errors.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import { type Domain, deleteDomain, selectDomain } from '../sql/domains.ts'
import { deleteHostnameMark } from '../sql/hostname-marks.ts'
import { deleteWaitingDomain } from '../sql/waiting-domains.ts'
import type { Deps } from './claim-domain.ts'
import { countedFetch } from './counted-fetch.ts'
import { type CloudflareZone, findHostname, removeHostname } from './custom-hostnames.ts'
import { evictDomain } from './resolve-domain.ts'

/** Deletes a user's claim of a host, or a pending claim. @throws {AppError} 404 unless it is the user's, 503 where Cloudflare does not answer. */
export async function releaseDomain({ env, config }: Deps, text: string, userId: string): Promise<void> {
  const host = hostName(text)
  const waited = await deleteWaitingDomain(env.DB, host, userId)
  const domain = await selectDomain(env.DB, host)
  if (domain?.userId !== userId) {
    if (waited) return
    throw notFound('You have not claimed this host.')
  }
  if (config.cloudflare) {
    try {
      await removeRegistered(env, config.cloudflare, domain, 'account')
    } catch (cause) {
      throw unavailable('hostnames_unavailable', 'The host cannot be released right now. Try again.', { cause })
    }
  }
  await deleteDomain(env.DB, host, userId)
  evictDomain(host)
}

/** Removes the custom hostname of a claim. @throws what {@link removeHostname} throws. */
export async function removeRegistered(
  { DB, BUCKET }: Pick<Env, 'DB' | 'BUCKET'>,
  zone: CloudflareZone,
  { host, customHostnameId }: Pick<Domain, 'host' | 'customHostnameId'>,
  by: 'account' | 'job',
): Promise<void> {
  const fetcher = countedFetch(DB, by)
  // A claim that was cut off may be registered there and not noted here.
  const id = customHostnameId ?? (await findHostname(zone, host, fetcher))?.id
  if (id !== undefined) await removeHostname(zone, id, fetcher)
  await deleteHostnameMark(BUCKET, host)
}
