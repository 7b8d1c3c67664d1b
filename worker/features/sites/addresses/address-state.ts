import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { SiteAddress } from '../sql/site-addresses.ts'

/** What an address answers: the site, a redirect to the label that the site has now, or 410. */
export type AddressState = { kind: 'shown'; site: string } | { kind: 'moved'; to: string } | { kind: 'gone' }

/** What an address answers at `now` (ms): one that was changed or ended redirects for a time. */
export function addressState(
  { siteId, untilAt, withdrawnAt, current, stands }: SiteAddress,
  now: number,
): AddressState {
  if (!stands || withdrawnAt !== null) return { kind: 'gone' }
  if (untilAt === null) return { kind: 'shown', site: siteId }
  return now - untilAt < LIFETIMES.movedAddress * 1000 ? { kind: 'moved', to: current ?? siteId } : { kind: 'gone' }
}
