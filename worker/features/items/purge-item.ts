import type { Env } from '../../platform/bindings.ts'
import { inParts } from '../../platform/d1/in-parts.ts'
import { carKey, chunkKey, deleteObjects, storedKey } from './sql/item-objects.ts'
import { deleteRemovedItems, type RemovedItem } from './sql/items-to-sweep.ts'
import { tailKey } from './sql/upload-objects.ts'

/**
 * Deletes all that removed items left: their objects first, their rows last, so that it can be cut off anywhere and
 * repeated. The blocks of each are one call to the bucket at the least, all else is shared.
 */
export async function purgeItems(env: Pick<Env, 'DB' | 'BUCKET'>, items: readonly RemovedItem[]): Promise<void> {
  await deleteObjects(env.BUCKET, keysOf(items))
  for (const { id, blockchain, directoryOf } of items) {
    if (blockchain !== 'IPFS' && directoryOf === null) continue
    await (await import('./merge/ipfs-merge.ts')).dropAllBlocks(env.BUCKET, id)
  }
  for (const part of inParts(items.map(({ id }) => id))) await deleteRemovedItems(env.DB, part)
}

function* keysOf(items: readonly RemovedItem[]): Generator<string> {
  for (const { id, blockchain, chunks } of items) {
    for (let index = 0; index < chunks; index++) yield chunkKey(id, index)
    yield tailKey(id)
    if (blockchain !== 'IPFS') yield* [storedKey(id), carKey(id)]
  }
}
