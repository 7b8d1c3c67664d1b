import { AppError, notFound } from '../http/errors.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { type PublishedItem, selectItem } from '../storage/items/items.ts'
import { retryWriteStatements } from '../storage/writes/writes.ts'

/** Lets a stopped item, whoever's it is, go on being written. @throws {AppError} 404, 409 unless it is stopped. */
export async function retryItem(db: D1Database, id: string, now: number): Promise<PublishedItem> {
  const item = await selectItem(db, id)
  if (!item) throw notFound('There is no item with this id.')
  if (item.state !== 'stopped' || !(await batchIf(db, retryWriteStatements(db, id, now)))) {
    throw new AppError(409, 'not_stopped', 'This item is not in 409 Conflict, so there is nothing to try again.')
  }
  return (await selectItem(db, id)) ?? item
}
