import { isObjectId } from '../../../protocol/object-id.ts'
import type { Env } from '../../platform/bindings.ts'
import { CAR_PREFIX, CHUNK_PREFIX, listOldObjects, STORED_PREFIX } from './sql/item-objects.ts'
import { selectKnownItemIds } from './sql/items.ts'
import { TAIL_PREFIX } from './sql/upload-objects.ts'

/**
 * Deletes R2 objects whose item is not in the database any more, for example a chunk that was stored while its item was
 * being deleted. Each run examines one page of keys per prefix. `random`, from 0 to 1, selects where the page begins.
 */
export async function sweepOrphans(env: Pick<Env, 'DB' | 'BUCKET'>, now: number, random: number): Promise<void> {
  const { PENDING_PREFIX } = await import('./merge/ipfs-merge.ts')
  for (const prefix of [CHUNK_PREFIX, TAIL_PREFIX, STORED_PREFIX, CAR_PREFIX, PENDING_PREFIX]) {
    const keys = await listOldObjects(env.BUCKET, prefix, now, random)
    const idOf = (key: string) => key.slice(prefix.length).split('/')[0]
    const known = await selectKnownItemIds(env.DB, [...new Set(keys.map(idOf).filter(isObjectId))])
    const orphans = keys.filter((key) => {
      const id = idOf(key)
      return isObjectId(id) && !known.has(id)
    })
    if (orphans.length > 0) await env.BUCKET.delete(orphans)
  }
}
