import { objectId } from '../../../protocol/object-id.ts'
import type { Config } from '../../platform/config/config.ts'
import { assertionStatement, batchIf } from '../../platform/d1/guarded-batch.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { insertSiteVersionStatements, updateCurrentStatements } from './sql/site-versions.ts'
import { insertSiteStatement, type Site } from './sql/sites.ts'
import { SITES_USED } from './sql/used.ts'

/**
 * Creates a site; with an item, which is the user's, that is its first version: current at once, for which it has to be stored,
 * or with `whenStored` once it is. `by` is the name of the caller; the statements of `record` are in the same batch.
 * @throws {AppError} 409 past the quota, 503 where the item is not stored after all.
 */
export async function createSite(
  { db, quotas }: { db: D1Database; quotas: Config['quotas'] },
  { userId, by }: { userId: string; by: string },
  { name, itemId, whenStored }: { name: string; itemId: string | undefined; whenStored: boolean },
  now: number,
  record: (site: Site) => D1PreparedStatement[],
): Promise<Site> {
  const made = { id: objectId(now), userId, name, createdAt: now }
  const versions = itemId === undefined ? 0 : 1
  const isCurrent = itemId !== undefined && !whenStored
  const site: Site = {
    ...made,
    address: null,
    versions,
    ...(isCurrent ? { current: 1, itemId } : { current: null, itemId: null }),
    waiting: versions === 1 && whenStored ? 1 : null,
  }
  const first =
    itemId === undefined
      ? []
      : insertSiteVersionStatements(db, made, {
          itemId,
          note: null,
          createdAt: now,
          whenStored: whenStored ? by : null,
        })
  const stands = await batchIf(db, [
    insertSiteStatement(db, made, quotas.sites),
    ...first,
    ...(isCurrent ? updateCurrentStatements(db, made, { number: 1, by, at: now }) : []),
    assertionStatement(db, 'EXISTS (SELECT 1 FROM sites WHERE id = ? AND versions = ?)', site.id, site.versions),
    ...record(site),
  ])
  if (stands) return site
  throw (
    (await quotaRefusal(db, userId, SITES_USED, quotas, { sites: 1 })) ??
    unavailable('busy', 'The site was not made. Try again.')
  )
}
