import type { Env } from '../../platform/bindings.ts'
import { notFound } from '../../platform/http/errors.ts'
import { evictSite } from './find-shown-item.ts'
import { refuseFailing } from './refuse-failing.ts'
import { requireStoredItem } from './require-stored-item.ts'
import { selectSiteVersion, updateCurrentStatements } from './sql/site-versions.ts'
import { type Site, selectSite } from './sql/sites.ts'

/**
 * Makes any version of a user's site the current one. In this isolate the next visitor sees it, elsewhere visitors a
 * minute later. `by` is the name of who asks, `confirmed` whether a version that answers 500 is wanted all the same.
 * @throws {AppError} 404, 409 for a version that is not stored or would answer 500.
 */
export async function switchVersion(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  site: Pick<Site, 'id' | 'userId' | 'current'>,
  { number, by, confirmed }: { number: number; by: string; confirmed: boolean },
  now: number,
): Promise<Site> {
  const { DB: db } = env
  const version = await selectSiteVersion(db, site, { number })
  if (!version) throw notFound('Your site has no version with this number.')
  await requireStoredItem(db, site.userId, version.itemId)
  if (!confirmed && site.current !== number) await refuseFailing(env, site.userId, version.itemId)
  await db.batch(updateCurrentStatements(db, site, { number, by, at: now }))
  evictSite(site.id)
  const switched = await selectSite(db, site.userId, site.id)
  if (!switched) throw notFound('You have no site with this id.')
  return switched
}
