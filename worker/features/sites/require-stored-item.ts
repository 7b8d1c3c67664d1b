import { AppError, notFound } from '../../platform/http/errors.ts'
import { type Item, selectOwnItem } from '../items/sql/items.ts'
import type { DomainTarget } from './sql/domains.ts'
import { selectSite } from './sql/sites.ts'

/**
 * Refuses what a site or a domain cannot show.
 * @throws {AppError} 404 unless the item is the user's, 409 until it is stored, and for a file of a directory.
 */
export async function requireStoredItem(db: D1Database, userId: string, itemId: string): Promise<void> {
  const { state } = await requireOwnItem(db, userId, itemId)
  if (state === 'stored') return
  throw new AppError(409, 'item_not_stored', 'The item is not stored yet. Wait until its status is "200 OK".')
}

/** The user's item, stored or not. @throws {AppError} 404, 409 for a file of a directory. */
export async function requireOwnItem(db: D1Database, userId: string, itemId: string): Promise<Item> {
  const item = await selectOwnItem(db, userId, itemId)
  if (!item) throw notFound('You have no item with this object id.')
  if (item.partOf === null) return item
  const message = `The item is a file of the directory ${item.partOf}. Use the directory instead.`
  throw new AppError(409, 'item_in_directory', message)
}

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
