import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { forgetStoredItem } from '../items/content/find-stored-item.ts'
import { requireItem } from '../items/require-item.ts'
import { takeDownStatements } from '../items/sql/move-items.ts'
import { assertNotShownStatement, isShown } from '../sites/sql/shown-items.ts'
import { assertNoOpenReportStatement, hasOpenReport } from './sql/open-reports.ts'

/**
 * Takes the caller's stored item on IPFS down, for good: it leaves lists and the versions of sites, and its hosts and
 * `/v0/content` answer 410. Its blocks stay: others may be made of them.
 * @throws {AppError} 404; 409 for what is on a chain, not stored, a file of a directory, shown by a site, or reported.
 */
export async function takeDown(db: D1Database, userId: string, id: string, now: number): Promise<void> {
  await requireRemovable(db, userId, id)
  const done = await batchIf(db, [
    assertNotShownStatement(db, id),
    assertNoOpenReportStatement(db, id),
    ...takeDownStatements(db, id, now),
    insertAuditStatement(db, {
      at: now,
      actor: userId,
      account: userId,
      act: 'item.taken_down',
      subject: `item:${id}`,
    }),
  ])
  if (!done) {
    await requireRemovable(db, userId, id)
    throw new AppError(409, 'item_shown', 'The item changed meanwhile. Try again.')
  }
  forgetStoredItem(id)
}

async function requireRemovable(db: D1Database, userId: string, id: string): Promise<void> {
  const item = await requireItem(db, userId, id)
  if (item.partOf !== null) {
    const message = `The item is a file of the directory ${item.partOf}. Take the directory down instead.`
    throw new AppError(409, 'item_in_directory', message)
  }
  if (item.blockchain !== 'IPFS') {
    const message = `What is on ${item.blockchain} cannot be taken down, by nobody. Hide the item, and it leaves your lists.`
    throw new AppError(409, 'item_on_chain', message)
  }
  if (item.state !== 'stored') {
    throw new AppError(409, 'item_not_stored', 'The item is not stored. While it is unpaid, delete it.')
  }
  if (await isShown(db, id)) {
    const message = 'A site shows this item. Let it show another version, or delete the site; then take the item down.'
    throw new AppError(409, 'item_shown', message)
  }
  if (await hasOpenReport(db, id)) {
    const message = 'A report about this item waits for a decision of the operator. Try again once it is decided.'
    throw new AppError(409, 'item_reported', message)
  }
}
