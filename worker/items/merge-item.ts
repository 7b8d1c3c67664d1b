import { type Env, readConfig } from '../bindings.ts'
import { deleteChunks } from '../storage/chunks.ts'
import { findItem, finishMerge, type Item, refuseMerge } from '../storage/items.ts'
import { storedKey } from '../storage/stored-content.ts'
import { explainTooLarge, mostStoredBytes } from './merge-limits.ts'
import { ChunkMissingError } from './read-chunks.ts'
import { storeContent } from './store-content.ts'

/**
 * Does a merge that was begun, from whatever an earlier try left behind: afterwards the item is in
 * `402 Payment Required`, or open again with a reason. Safe to repeat, and to cut off anywhere.
 * @throws whatever the storage throws: try again later.
 */
export async function mergeItem(env: Env, id: string, clock: () => number): Promise<void> {
  const item = await findItem(env.DB, id)
  if (!item) return await env.BUCKET.delete(storedKey(id))
  if (item.status === 201) {
    if (item.mergingAt === null) return
    try {
      await mergeUpload(env, item, clock)
    } catch (error) {
      if (!(error instanceof ChunkMissingError)) throw error
      const message = 'A chunk of this item was lost. Ask for the merge again to learn which to send.'
      await refuseMerge(env.DB, id, { code: 'chunk_lost', message }, clock())
    }
    return
  }
  // It was finished, and died before it had tidied up.
  await deleteChunks(env.BUCKET, id, item.chunks)
}

async function mergeUpload(env: Env, item: Item, clock: () => number): Promise<void> {
  if (item.blockchain === 'IPFS') throw new Error('IPFS items need worker/ipfs')
  const outcome = await storeForChain(env, item, item.blockchain)
  if ('code' in outcome) return await refuseMerge(env.DB, item.id, outcome, clock())
  if (await finishMerge(env.DB, item.id, outcome, clock())) {
    await deleteChunks(env.BUCKET, item.id, item.chunks)
  } else if (!(await findItem(env.DB, item.id))) {
    // Removed meanwhile, perhaps after its objects had been deleted.
    await env.BUCKET.delete(storedKey(item.id))
  }
}

async function storeForChain(env: Env, item: Item, blockchain: Exclude<Item['blockchain'], 'IPFS'>) {
  const config = readConfig(env)
  const storedSize = await storeContent(env.BUCKET, item, mostStoredBytes(blockchain, config))
  if (storedSize === undefined) return explainTooLarge(blockchain, item.size, config)
  const { maxDataBytes } = config.chains[blockchain]
  return { storedSize, transactions: Math.ceil(storedSize / maxDataBytes), maxDataBytes, cid: null }
}
