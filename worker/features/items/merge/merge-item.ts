import { selectDirectoryFiles } from '../sql/folders.ts'
import { carKey, deleteChunks, storedKey } from '../sql/item-objects.ts'
import { type Item, selectItem } from '../sql/items.ts'
import { finishImport, finishMerges, refuseMerge } from '../sql/move-items.ts'
import { tailKey } from '../sql/upload-objects.ts'
import { ChunkMissingError } from './read-chunks.ts'
import { type MergeEnv, storeUpload } from './store-for-chain.ts'

/**
 * Does a merge that was begun, whatever an earlier try left behind: afterwards the item is in
 * `402 Payment Required`, or open again with a reason. Safe to repeat, and to cut off anywhere; the more tries were
 * `cutOff`, the less CPU this one takes.
 * @throws what the storage throws: try again later.
 */
export async function mergeItem(env: MergeEnv, id: string, clock: () => number, cutOff = 0): Promise<void> {
  const item = await selectItem(env.DB, id)
  if (item?.state === 'merging' && !item.partOf) {
    const { directoryOf } = item
    if (directoryOf) {
      const { mergeDirectory } = await import('./ipfs-merge.ts')
      await mergeDirectory(env, { ...item, directoryOf }, clock, cutOff)
    } else {
      const isCar = item.kind === 'car'
      const merge = () => (isCar ? importCar(env, item, clock) : mergeUpload(env, item, clock, cutOff))
      await reopenIfLost(env, item.id, clock, merge)
    }
  }
  await tidy(env, await selectItem(env.DB, id), id)
}

async function mergeUpload(env: MergeEnv, item: Item, clock: () => number, cutOff: number): Promise<void> {
  const { blockchain } = item
  const outcome =
    blockchain === 'IPFS'
      ? await (await import('./ipfs-merge.ts')).buildDag(env.BUCKET, item)
      : await storeUpload(env, item, blockchain, cutOff)
  if ('code' in outcome) await refuseMerge(env.DB, item.id, outcome, clock())
  else await finishMerges(env.DB, [{ id: item.id, ...outcome }], clock())
}

async function importCar(env: MergeEnv, item: Item, clock: () => number): Promise<void> {
  const outcome = await (await import('./ipfs-merge.ts')).importUpload(env.BUCKET, item)
  if ('code' in outcome) await refuseMerge(env.DB, item.id, outcome, clock())
  else await finishImport(env.DB, item.id, outcome, clock())
}

/** Opens the upload again where `merge` finds that a chunk is gone. */
async function reopenIfLost(env: MergeEnv, id: string, clock: () => number, merge: () => Promise<void>): Promise<void> {
  try {
    await merge()
  } catch (error) {
    if (!(error instanceof ChunkMissingError)) throw error
    const message = 'A chunk of this item was lost. Ask for the merge again to learn which to send.'
    await refuseMerge(env.DB, id, { code: 'chunk_lost', message }, clock())
  }
}

/** Deletes what is of no use after a merge, whether this try did it or one that died here. */
async function tidy(env: MergeEnv, item: Item | undefined, id: string): Promise<void> {
  if (!item) {
    // Removed meanwhile, perhaps after its objects had been deleted.
    await env.BUCKET.delete([storedKey(id), carKey(id)])
    return await (await import('./ipfs-merge.ts')).dropAllBlocks(env.BUCKET, id)
  }
  if (item.state === 'uploading' || item.state === 'merging') return
  if (item.directoryOf) {
    for (const file of await selectDirectoryFiles(env.DB, id)) await deleteChunks(env.BUCKET, file.id, file.chunks)
    if (item.blockchain !== 'IPFS') await env.BUCKET.delete(carKey(id))
  }
  // A file in an IPFS folder is read once more when the folder is merged.
  if (item.blockchain !== 'IPFS' || item.folderId === null) await deleteChunks(env.BUCKET, id, item.chunks)
  await env.BUCKET.delete(tailKey(id))
}
