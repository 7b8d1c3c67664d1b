import type { R2Bucket } from '@cloudflare/workers-types'
import type { CID } from 'multiformats/cid'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { BLOCK_PREFIX, blockName, CACHED_BLOCK_PREFIX } from './block-key.ts'
import { verifyBlock } from './verify-block.ts'

/** What R2 has of a block: it, nothing, damage that is to be repaired, or why it cannot be asked. */
export type StoredBlock =
  | { found: 'block'; bytes: Uint8Array }
  | { found: 'nothing' }
  | { found: 'damage' }
  | { found: 'failure'; failure: unknown }

/** A block of an item or an import, or a cached one from a gateway; checked against its CID. Never throws. */
export async function readStored(bucket: R2Bucket, cid: CID): Promise<StoredBlock> {
  const name = blockName(cid)
  try {
    const own = await readOne(bucket, BLOCK_PREFIX + name, cid)
    if (own) return own === 'damaged' ? { found: 'damage' } : { found: 'block', bytes: own }
    const cached = await readOne(bucket, CACHED_BLOCK_PREFIX + name, cid)
    return cached && cached !== 'damaged' ? { found: 'block', bytes: cached } : { found: 'nothing' }
  } catch (failure) {
    logOnceAMinute('error', 'block_store_unavailable', failure)
    return { found: 'failure', failure }
  }
}

/**
 * Stores a block from a gateway: in the cache if it admits it, and permanently if it replaces a damaged block of an item.
 * Never throws: this reader has the bytes, and the next one can fetch them again.
 */
export async function storeBlock(
  bucket: R2Bucket,
  cid: CID,
  bytes: Uint8Array,
  before: StoredBlock['found'],
  admit: (bytes: number) => Promise<boolean>,
): Promise<void> {
  try {
    const name = blockName(cid)
    if (before === 'damage') await bucket.put(BLOCK_PREFIX + name, bytes)
    else if (await admit(bytes.byteLength)) await bucket.put(CACHED_BLOCK_PREFIX + name, bytes)
  } catch (error) {
    logOnceAMinute('error', 'block_not_kept', String(cid), error)
  }
}

async function readOne(bucket: R2Bucket, key: string, cid: CID): Promise<Uint8Array | 'damaged' | undefined> {
  const object = await bucket.get(key)
  if (!object) return undefined
  const bytes = new Uint8Array(await object.arrayBuffer())
  if (await verifyBlock(cid, bytes)) return bytes
  logOnceAMinute('error', 'stored_block_damaged', key)
  return 'damaged'
}
