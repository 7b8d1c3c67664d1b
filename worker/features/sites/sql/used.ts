import type { UsedSql } from '../../auth/sql/quotas.ts'

/** What a user has used of the quotas of sites and domains; a host that is claimed and waited for counts once. */
export const SITES_USED: UsedSql<'domains' | 'sites'> = {
  domains: (user) => `((SELECT COUNT(*) FROM domains AS held WHERE held.user_id = ${user} AND held.status <> 'removing')
    + (SELECT COUNT(*) FROM waiting_domains AS waits WHERE waits.user_id = ${user} AND NOT EXISTS (
      SELECT 1 FROM domains AS held
      WHERE held.host = waits.host AND held.user_id = waits.user_id AND held.status <> 'removing')))`,
  sites: (user) => `(SELECT COUNT(*) FROM sites AS held WHERE held.user_id = ${user})`,
}
