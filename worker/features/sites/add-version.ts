import { notFound } from '../../platform/http/errors.ts'
import { requireStoredItem } from './require-stored-item.ts'
import { insertSiteVersionStatements, type SiteVersion, selectSiteVersion } from './sql/site-versions.ts'

/**
 * Makes a stored item the newest version of a user's site, to be checked on its own host; what is current stays so. An
 * item that is a version already is that version still.
 * @returns the version, and whether it is new.
 * @throws {AppError} 404, 409 for an item that is not stored.
 */
export async function addVersion(
  db: D1Database,
  site: { id: string; userId: string },
  { itemId, note }: { itemId: string; note: string | null },
  now: number,
): Promise<{ version: SiteVersion; added: boolean }> {
  await requireStoredItem(db, site.userId, itemId)
  const known = await selectSiteVersion(db, site, { item: itemId })
  if (known) return { version: known, added: false }
  await db.batch(insertSiteVersionStatements(db, site, { itemId, note, createdAt: now }))
  const version = await selectSiteVersion(db, site, { item: itemId })
  if (!version) throw notFound('You have no site with this id.')
  return { version, added: true }
}
