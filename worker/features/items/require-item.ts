import { notFound } from '../../platform/http/errors.ts'
import { type PublishedItem, selectOwnItem } from './sql/items.ts'

/** The caller's live item. @throws {AppError} 404. */
export async function requireItem(db: D1Database, userId: string, id: string): Promise<PublishedItem> {
  const item = await selectOwnItem(db, userId, id)
  if (!item) throw notFound('You have no item with this id.')
  return item
}
