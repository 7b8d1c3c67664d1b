import { MAX_ADDRESSES } from '../../../../contract/limits.ts'
import type { Config } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { countAddresses, hasPaidVersion, selectAddress, setAddressStatements } from '../sql/site-addresses.ts'
import type { Site } from '../sql/sites.ts'
import { evictAddress } from './resolve-address.ts'

/**
 * Gives a site an address in place of the one that it has; the old one stays its account's. `now` in milliseconds.
 * @throws {AppError} 400 for a reserved or misleading one, 409 where it is taken, nothing of the site is paid, or the account
 *   has as many as it may have.
 */
export async function setAddress(
  { db, config }: { db: D1Database; config: Config },
  site: Site,
  address: string,
  now: number,
): Promise<Site> {
  if (site.address === address) return site
  // The table of look-alikes is large, and few requests need it.
  const { refuseAddressName } = await import('./refuse-address-name.ts')
  refuseAddressName(address, config)
  if (!(await batchIf(db, setAddressStatements(db, site, address, now)))) throw await whyRefused(db, site, address)
  evictAddress(address)
  if (site.address !== null) evictAddress(site.address)
  return { ...site, address }
}

async function whyRefused(db: D1Database, { id, userId }: Site, address: string): Promise<AppError> {
  const held = await selectAddress(db, address)
  const taken = (message: string) => new AppError(409, 'address_taken', message)
  if (held && held.userId !== userId) {
    return taken('The address is or was that of another account, and stays its own. Choose another one.')
  }
  if (held && held.withdrawnAt !== null) return taken('The address was withdrawn by the operator. Choose another one.')
  if (held?.untilAt === null && held.siteId !== id) {
    return taken(`The address is that of your site ${held.siteId}. End it there first.`)
  }
  if (!(await hasPaidVersion(db, id))) {
    return new AppError(
      409,
      'site_unpaid',
      'No version of the site is paid for yet. Pay for one, then set the address.',
    )
  }
  const used = await countAddresses(db, userId)
  if (held || used < MAX_ADDRESSES) return unavailable('busy', 'The address was not set. Try again.')
  const message = `An account may have ${MAX_ADDRESSES} addresses, and those that it changed or ended stay its own. Use one of yours again.`
  return new AppError(409, 'quota_exceeded', message, { details: { quota: 'addresses', limit: MAX_ADDRESSES, used } })
}
