import type { R2Bucket } from '@cloudflare/workers-types'
import type { CID } from 'multiformats/cid'
import { ReadAheadPermits } from '../../../../reader/read-ahead.ts'
import { memoryOf } from '../../../platform/flow/memory-budget.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { blockName } from './block-key.ts'
import type { BlockSource } from './block-store.ts'
import { PENDING_PREFIX } from './pending-blocks.ts'
import { readStored } from './stored-blocks.ts'
import { blockWork, inlineBlock, verifyBlock } from './verify-block.ts'

/**
 * The blocks of one item for its owner, paid or not: from its unpaid upload, else from the published blocks. No gateway is
 * used.
 */
export function itemBlocks(bucket: R2Bucket, itemId: string, budget: BlockSource['budget']): BlockSource {
  async function get(cid: CID): Promise<Uint8Array> {
    const inline = inlineBlock(cid)
    if (inline) return inline
    const pending = await bucket.get(`${PENDING_PREFIX}${itemId}/${blockName(cid)}`)
    const waiting = pending && new Uint8Array(await pending.arrayBuffer())
    const bytes = waiting && (await verifyBlock(cid, waiting)) ? waiting : await readPublished(bucket, cid)
    await budget.spend(blockWork(cid, bytes.byteLength))
    return bytes
  }
  const ahead = new ReadAheadPermits(1)
  return { tier: 'r2', given: undefined, ahead, take: memoryOf(undefined), budget, get, getOnce: get, free: () => {} }
}

async function readPublished(bucket: R2Bucket, cid: CID): Promise<Uint8Array> {
  const stored = await readStored(bucket, cid)
  if (stored.found === 'block') return stored.bytes
  if (stored.found === 'failure') throw stored.failure
  throw new AppError(404, 'block_not_found', `The block ${cid} of this item is not stored here.`)
}
