import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import { selectStops } from '../../chain/follower/stops.ts'
import type { Env } from '../../platform/bindings.ts'
import { listOldObjects } from '../items/sql/item-objects.ts'
import { insertSweptBundles, signedPrefix } from '../wallet/sql/signed-bytes.ts'

/**
 * Deletes signed bytes that no transaction refers to: whoever stored them died before the rows were written, or
 * another had planned meanwhile. Their age only saves work under way from being done again; that no row can come to
 * refer to them is D1's to see to. Nothing is deleted while the database is older than what was paid out. `random`, from 0 to 1, is where it looks.
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
