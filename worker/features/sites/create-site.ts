import { objectId } from '../../../protocol/object-id.ts'
import type { Config } from '../../platform/config/config.ts'
import { assertionStatement, batchIf } from '../../platform/d1/guarded-batch.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { insertSiteVersionStatements, updateCurrentStatements } from './sql/site-versions.ts'
import { insertSiteStatement, type Site } from './sql/sites.ts'
import { SITES_USED } from './sql/used.ts'

/**
 * Creates a site; with an item, which is stored and the user's, that is its first version and current at once. `by` is the name
 * of the caller; the statements of `record` are in the same batch.
 * @throws {AppError} 409 past the quota, 503 where the item is not stored after all.
 */
export async function createSite(
  { db, quotas }: { db: D1Database; quotas: Config['quotas'] },
  { userId, by }: { userId: string; by: string },
  { name, itemId }: { name: string; itemId: string | undefined },
  now: number,
  record: (site: Site) => D1PreparedStatement[],
): Promise<Site> {
  const made = { id: objectId(now), userId, name, createdAt: now }
  const site: Site = {
    ...made,
    ...(itemId ? { versions: 1, current: 1, itemId } : { versions: 0, current: null, itemId: null }),
  }
  const first =
    itemId === undefined
      ? []
      : [
          ...insertSiteVersionStatements(db, made, { itemId, note: null, createdAt: now }),
          ...updateCurrentStatements(db, made, { number: 1, by, at: now }),
        ]
  const stands = await batchIf(db, [
    insertSiteStatement(db, made, quotas.sites),
    ...first,
    assertionStatement(db, 'EXISTS (SELECT 1 FROM sites WHERE id = ? AND versions = ?)', site.id, site.versions),
    ...record(site),
  ])
  if (stands) return site
  throw (
    (await quotaRefusal(db, userId, SITES_USED, quotas, { sites: 1 })) ??
    unavailable('busy', 'The site was not made. Try again.')
  )
}
