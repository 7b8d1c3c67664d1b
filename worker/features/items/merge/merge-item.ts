import { selectDirectoryFiles } from '../sql/folders.ts'
import { carKey, deleteChunks, storedKey } from '../sql/item-objects.ts'
import { type Item, selectItem } from '../sql/items.ts'
import { finishImport, finishMerges, type MergeOutcome, refuseMerge } from '../sql/move-items.ts'
import { tailKey } from '../sql/upload-objects.ts'
import { measurePicture, type PictureSize } from './measure-picture.ts'
import { ChunkMissingError } from './read-chunks.ts'
import { type MergeEnv, storeUpload } from './store-for-chain.ts'

/**
 * Does a merge that was begun, after any earlier try: afterwards the item is in `402 Payment Required`, or open again with a
 * reason. Safe to repeat, and to cut off anywhere; the more tries were `cutOff`, the less CPU this one uses.
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
      const { failures } = await mergeUploads(env, [item], clock, cutOff)
      if (failures.length > 0) throw failures[0]
    }
  }
  await tidy(env, await selectItem(env.DB, id), id)
}

/**
 * Stores what uploads are merged to, and writes all outcomes at once. One that is refused, or of which a chunk is gone, is open
 * again with a reason.
 * @returns the ids of those that were stored, those of them that wait for payment now, and why others have to be tried again.
 */
export async function mergeUploads(
  env: MergeEnv,
  items: readonly Item[],
  clock: () => number,
  cutOff = 0,
): Promise<{ stored: string[]; merged: Set<string>; failures: unknown[] }> {
  const outcomes: (MergeOutcome & Partial<PictureSize> & { id: string })[] = []
  const failures: unknown[] = []
  const store = async (item: Item) => {
    const { id } = item
    try {
      const outcome = await storeItem(env, item, clock, cutOff)
      if (outcome && 'code' in outcome) await refuseMerge(env.DB, id, outcome, clock())
      else if (outcome) outcomes.push({ id, ...outcome, ...(await measurePicture(env.BUCKET, item)) })
    } catch (error) {
      if (error instanceof ChunkMissingError) await refuseMerge(env.DB, id, CHUNK_LOST, clock())
      else failures.push(error)
    }
  }
  await Promise.all(items.map(store))
  const merged = outcomes.length === 0 ? [] : await finishMerges(env.DB, outcomes, clock())
  return { stored: outcomes.map(({ id }) => id), merged: new Set(merged), failures }
}

const CHUNK_LOST = {
  code: 'chunk_lost',
  message: 'A chunk of this item was lost. Ask for the merge again to learn which to send.',
} as const

/** What an upload is merged to, or why it is refused; nothing of a CAR that was imported, which is never paid. */
async function storeItem(env: MergeEnv, item: Item, clock: () => number, cutOff: number) {
  const { id, blockchain, kind } = item
  if (kind !== 'car' && blockchain !== 'IPFS') return await storeUpload(env, item, blockchain, cutOff)
  const { buildDag, importUpload } = await import('./ipfs-merge.ts')
  if (kind !== 'car') return await buildDag(env.BUCKET, item)
  const imported = await importUpload(env.BUCKET, item)
  if ('code' in imported) return imported
  await finishImport(env.DB, id, imported, clock())
  return undefined
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
