import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, notFound } from '../../platform/http/errors.ts'
import { selectStoppedIndex } from '../items/sql/indexes.ts'
import { type PublishedItem, selectItem } from '../items/sql/items.ts'
import { BEING_WRITTEN } from '../items/sql/move-items.ts'
import { retryWriteStatements } from '../items/sql/writes.ts'

/**
 * Returns the item as it is after the call. Resumes the writing of a stopped item of any owner, or the stopped index of
 * a stored one, which has an id of its own as well. `record` makes the entries that are written in the same batch, from
 * that item.
 * @throws {AppError} 404, 409 unless it is stopped.
 */
export async function retryItem(
  db: D1Database,
  id: string,
  record: (going: PublishedItem) => D1PreparedStatement[],
  now: number,
): Promise<PublishedItem> {
  const index = await selectStoppedIndex(db, id)
  const item = await selectItem(db, index?.itemId ?? id)
  if (!item) throw notFound('There is no item with this id.')
  const isStopped = item.state === 'stopped'
  const going: PublishedItem = isStopped ? { ...item, state: 'writing', message: BEING_WRITTEN } : item
  const statements = [...retryWriteStatements(db, isStopped ? item.id : (index?.id ?? id), now), ...record(going)]
  if (!(isStopped || index) || !(await batchIf(db, statements))) {
    throw new AppError(409, 'not_stopped', 'This item is not in 409 Conflict, so there is nothing to retry.')
  }
  return going
}
