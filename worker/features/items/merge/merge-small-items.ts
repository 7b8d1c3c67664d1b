import type { Config } from '../../../platform/config/config.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { chunkKey, listFirstChunks } from '../sql/item-objects.ts'
import type { Item } from '../sql/items.ts'
import { beginMerges } from '../sql/move-items.ts'
import { tailKey } from '../sql/upload-objects.ts'
import { isIndexOffered } from './index-option.ts'
import { mergeItem, mergeUploads } from './merge-item.ts'
import type { MergeEnv } from './store-for-chain.ts'

/** Bytes of the largest item that is merged so: compressing a hundred of them takes a few seconds of CPU at most. */
const MAX_SIZE = 16 * 1024

/**
 * Merges those of a user's items that are small and go to a chain, as many together as the account may have under way,
 * in the request that asks for them: an object with an alarm for each takes several times as long as its merge. What
 * is left out, fails or is cut off here is for the merger of the item, which the next call or the sweep calls.
 * @returns whether a merge was begun.
 */
export async function mergeSmallItems(
  env: MergeEnv,
  config: Pick<Config, 'quotas' | 'chains'>,
  items: readonly Item[],
  { clock, until, index }: { clock: () => number; until: number; index?: boolean | undefined },
): Promise<boolean> {
  const { quotas } = config
  const small = items.filter((item) => isSmall(item) && (!index || isIndexOffered(item.blockchain, config)))
  const arrived = await listFirstChunks(
    env.BUCKET,
    small.map(({ id }) => id),
  )
  const whole = small.filter(({ id, size }) => size === 0 || arrived.get(id) === size)
  let begun = false
  for (const group of inParts(whole, quotas.merges)) {
    const ids = group.map(({ id }) => id)
    const [{ userId = '' } = {}] = group
    if (clock() > until || !(await beginMerges(env.DB, userId, ids, quotas.merges, clock(), index))) break
    begun = true
    const asked = group.map((item) => ({ ...item, indexed: index ?? null }))
    await mergeGroup(env, asked, clock)
  }
  return begun
}

function isSmall({ blockchain, kind, size, chunks, state, refusal, partOf, directoryOf }: Item): boolean {
  if (blockchain === 'IPFS' || kind !== null || partOf !== null || directoryOf !== null) return false
  return size <= MAX_SIZE && chunks <= 1 && state === 'uploading' && refusal === null
}

async function mergeGroup(env: MergeEnv, group: readonly Item[], clock: () => number): Promise<void> {
  const { stored, merged, failures } = await mergeUploads(env, group, clock)
  for (const error of failures) console.error('merge_failed', error)
  if (merged.size > 0) await env.BUCKET.delete([...merged].flatMap((id) => [chunkKey(id, 0), tailKey(id)]))
  // Merged by another call, or deleted meanwhile: then what was just stored must not stay.
  for (const id of stored) if (!merged.has(id)) await mergeItem(env, id, clock)
}
