import type { Env } from '../../platform/bindings.ts'
import { notFound } from '../../platform/http/errors.ts'
import { requireOwnItem, requireStoredItem } from './require-stored-item.ts'
import {
  insertSiteVersionStatements,
  type NewVersion,
  type SiteVersion,
  selectSiteVersion,
} from './sql/site-versions.ts'
import { switchWaiting } from './switch-stored.ts'

/**
 * Makes an item the newest version of a user's site. What is current stays so, unless the version is to replace it once it is
 * stored, which may be so already. An item that is a version already is that version still.
 * @returns the version, and whether it is new.
 * @throws {AppError} 404, 409 for an item that is not stored and is not waited for.
 */
export async function addVersion(
  env: Pick<Env, 'DB' | 'BUCKET'>,
  site: { id: string; userId: string },
  { itemId, note, whenStored }: Omit<NewVersion, 'createdAt'>,
  now: number,
): Promise<{ version: SiteVersion; added: boolean }> {
  const { DB: db } = env
  await (whenStored === null ? requireStoredItem : requireOwnItem)(db, site.userId, itemId)
  const find = async () => await selectSiteVersion(db, site, { item: itemId })
  const known = await find()
  if (known && whenStored === null) return { version: known, added: false }
  await db.batch(insertSiteVersionStatements(db, site, { itemId, note, createdAt: now, whenStored }))
  const added = await find()
  if (added?.state === 'stored' && whenStored !== null) {
    const { number } = added
    await switchWaiting(env, { siteId: site.id, userId: site.userId, number, itemId, by: whenStored }, now)
  }
  const version = whenStored === null ? added : await find()
  if (!version) throw notFound('You have no site with this id.')
  return { version, added: known === undefined }
}
