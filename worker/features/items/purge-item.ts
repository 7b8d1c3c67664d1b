import type { Env } from '../../platform/bindings.ts'
import { carKey, deleteChunks, storedKey } from './sql/item-objects.ts'
import { deleteRemovedItem, type RemovedItem } from './sql/items-to-sweep.ts'
import { tailKey } from './sql/upload-objects.ts'

/**
 * Deletes all that a removed item left: its objects first, its row last, so that it can be cut off anywhere and
 * done again.
 */
export async function purgeItem(env: Pick<Env, 'DB' | 'BUCKET'>, item: RemovedItem): Promise<void> {
  await deleteChunks(env.BUCKET, item.id, item.chunks)
  await env.BUCKET.delete(tailKey(item.id))
  if (item.blockchain !== 'IPFS') await env.BUCKET.delete([storedKey(item.id), carKey(item.id)])
  if (item.blockchain === 'IPFS' || item.directoryOf !== null) {
    await (await import('./merge/ipfs-merge.ts')).dropAllBlocks(env.BUCKET, item.id)
  }
  await deleteRemovedItem(env.DB, item.id)
}
