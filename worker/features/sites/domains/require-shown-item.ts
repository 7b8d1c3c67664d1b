import { AppError, notFound } from '../../../platform/http/errors.ts'
import { requireStoredItem } from '../require-stored-item.ts'
import type { DomainTarget } from '../sql/domains.ts'
import { selectSite } from '../sql/sites.ts'

/**
 * Refuses a domain that would show nothing.
 * @throws {AppError} 404 for what is not the user's, 409 for an item that is not stored, or a site without a version.
 */
export async function requireShownItem(db: D1Database, userId: string, { kind, id }: DomainTarget): Promise<void> {
  if (kind === 'item') return await requireStoredItem(db, userId, id)
  const site = await selectSite(db, userId, id)
  if (!site) throw notFound('You have no site with this id.')
  if (site.current !== null) return
  throw new AppError(409, 'item_not_stored', 'The site shows no version yet. Make one current first.')
}
