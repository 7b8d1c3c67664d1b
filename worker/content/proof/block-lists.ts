import { concatBytes } from '../../../protocol/bytes.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { reverseHex, txidBytes } from '../../../protocol/transaction.ts'
import { hashesOf } from '../../../reader/proof/tiles.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { BLOCK_LISTS_PREFIX } from '../chain/bucket-records.ts'

/** More than a block of 4,000,000 units of weight has. */
const MAX_TXIDS = 70_000

/**
 * The txids of blocks, kept in the bucket by block hash, so that a proof needs no full block of the node. A list is of a block
 * for ever; which block has a transaction is asked each time, since another one may take its place.
 */
export interface BlockLists {
  /** In their order; `undefined` where they are not kept. */
  read(hash: string): Promise<string[] | undefined>
  keep(hash: string, txids: readonly string[]): void
}

/** Lists in the bucket, as many bytes an hour as the cache of chains admits, removed with it. */
export function blockLists(
  env: Pick<Env, 'DB' | 'BUCKET'> & Parameters<typeof admitToCache>[0],
  blockchain: Blockchain,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
): BlockLists {
  const keyOf = (hash: string) => `${BLOCK_LISTS_PREFIX}${blockchain}/${hash}`
  return {
    async read(hash) {
      const object = await env.BUCKET.get(keyOf(hash))
      const txids = object && hashesOf(new Uint8Array(await object.arrayBuffer())).map(reverseHex)
      return txids && txids.length > 0 ? txids : undefined
    },
    keep(hash, txids) {
      if (txids.length > MAX_TXIDS) return
      const store = async () => {
        const bytes = concatBytes(txids.map(txidBytes))
        if (await admitToCache(env, 'chain', bytes.length, now())) await env.BUCKET.put(keyOf(hash), bytes)
      }
      ctx.waitUntil(store().catch((error: unknown) => console.error('block_list_not_kept', error)))
    },
  }
}
