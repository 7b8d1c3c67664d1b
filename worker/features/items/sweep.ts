import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Env } from '../../platform/bindings.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { inParts } from '../../platform/d1/in-parts.ts'
import { purgeItems } from './purge-item.ts'
import { deleteOldEmptyFolders } from './sql/folders.ts'
import { deleteChunks, storedKey } from './sql/item-objects.ts'
import {
  selectAbandonedItems,
  selectLeftovers,
  selectMerging,
  selectRemovedItems,
  updateTidied,
} from './sql/items-to-sweep.ts'
import { assertRemovableStatement, removeItemStatements } from './sql/move-items.ts'
import { deleteEmptyOrdersStatement } from './sql/orders.ts'

const DAY = 86_400_000

/** Uploads that nothing is added to, and items that nobody pays for, are removed after this; in milliseconds. */
export const ABANDONED_AFTER = LIFETIMES.unpaid * 1000

/** What a stored item was written from is stored a while: a reorganisation may want it written again. */
const LEFTOVERS_KEPT = 7 * DAY

/** A merge that takes longer is requested again, which does no harm to one that is under way. */
const MERGE_STALLED_AFTER = 120_000

/** Items handled in one run of each kind, so that a run is short; the next one continues. */
const BATCH = 100

/** Removed items that are deleted in one run: as many as are removed in a minute while strangers fill the budget of all accounts. */
const PURGED = 4 * BATCH

/**
 * Removes what was abandoned, deletes what was removed or is of no use any more, and requests merges again whose merger was never
 * called. Runs each minute; may run twice at once; an item that fails is left for the next run.
 */
export async function sweepItems(env: Env, now: number): Promise<void> {
  await forEach('remove', await selectAbandonedItems(env.DB, now - ABANDONED_AFTER, BATCH), async (id) => {
    await batchIf(env.DB, [
      assertRemovableStatement(env.DB, id),
      ...removeItemStatements(env.DB, id, now),
      deleteEmptyOrdersStatement(env.DB, [id]),
    ])
  })
  await forEach(
    'purge',
    inParts(await selectRemovedItems(env.DB, PURGED), BATCH),
    async (items) => await purgeItems(env, items),
  )
  await forEach('tidy', await selectLeftovers(env.DB, now - LEFTOVERS_KEPT, BATCH), async (item) => {
    await deleteChunks(env.BUCKET, item.id, item.chunks)
    if (item.blockchain !== 'IPFS') await env.BUCKET.delete(storedKey(item.id))
    await updateTidied(env.DB, item.id)
  })
  await forEach('merge', await selectMerging(env.DB, now - MERGE_STALLED_AFTER, BATCH), async (id) => {
    await env.ITEM_MERGER.getByName(id).begin(id)
  })
  await deleteOldEmptyFolders(env.DB, now - ABANDONED_AFTER, BATCH)
}

async function forEach<T>(what: string, entries: readonly T[], work: (entry: T) => Promise<void>): Promise<void> {
  for (const entry of entries) {
    try {
      await work(entry)
    } catch (error) {
      console.error('sweep_failed', what, entry, error)
    }
  }
}
