import { notFound } from '../http/errors.ts'
import { selectSiteVersion, updateCurrentStatements } from '../storage/sites/site-versions.ts'
import { type Site, selectSite } from '../storage/sites/sites.ts'
import { forgetShown } from './find-shown-item.ts'

/**
 * Makes any version of a user's site the current one. Here the next visitor gets it, everywhere else whoever comes a
 * minute later. `by` is the name of who asks.
 * @throws {AppError} 404.
 */
export async function switchVersion(
  db: D1Database,
  site: { id: string; userId: string },
  { number, by }: { number: number; by: string },
  now: number,
): Promise<Site> {
  if (!(await selectSiteVersion(db, site, { number }))) throw notFound('Your site has no version with this number.')
  await db.batch(updateCurrentStatements(db, site, { number, by, at: now }))
  forgetShown(site.id)
  const switched = await selectSite(db, site.userId, site.id)
  if (!switched) throw notFound('You have no site with this id.')
  return switched
}
