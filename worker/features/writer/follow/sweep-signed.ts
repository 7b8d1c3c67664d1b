import { BLOCKCHAINS } from '../../../../protocol/chains.ts'
import { selectStops } from '../../../chain/follower/stops.ts'
import type { Env } from '../../../platform/bindings.ts'
import { listOldObjects } from '../../items/sql/item-objects.ts'
import { insertSweptBundles, signedPrefix } from '../../transactions/sql/signed-bytes.ts'

/**
 * Deletes signed bytes that no transaction refers to: the step that stored them ended before it wrote the rows, or
 * another step planned in between. The minimum age only saves unfinished work from being repeated; D1 ensures that no
 * row can refer to them later. Nothing is deleted while the database is older than what was paid out. `random`, from 0
 * to 1, is where the search begins.
 */
export async function sweepSigned(env: Pick<Env, 'DB' | 'BUCKET'>, now: number, random: number): Promise<void> {
  for (const blockchain of BLOCKCHAINS) {
    // Rows of what was signed after the moment that the database is of are gone, and the bytes may be all that is left.
    if ((await selectStops(env.DB, blockchain)).some(({ cause }) => cause === 'restored')) continue
    const keys = await listOldObjects(env.BUCKET, signedPrefix(blockchain), now, random)
    const orphans = keys.length > 0 ? await insertSweptBundles(env.DB, blockchain, keys) : []
    if (orphans.length > 0) await env.BUCKET.delete(orphans)
  }
}
