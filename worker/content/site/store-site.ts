import { canonicalCid, parseCid } from '../../../protocol/cid.ts'
import type { Env } from '../../platform/bindings.ts'
import { now } from '../../platform/clock.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { admitToCache } from '../cache/admit-to-cache.ts'
import { getRecord } from '../chain/bucket-records.ts'
import { type ContentRecord, partsOf, sizeOf } from '../chain/content-record.ts'
import { putListMark, SITE_PREFIX } from '../chain/list-mark.ts'
import { encodeFor } from '../chain/prepare-answer.ts'
import { BLOCK_PREFIX, blockName, CACHED_BLOCK_PREFIX } from '../ipfs/blocks/block-key.ts'
import { publishCar } from '../ipfs/blocks/import-car.ts'
import { isSite } from './is-site.ts'

/**
 * Checks whether the content of a list, stored in R2, is a website. If so, its blocks are copied into the cache of blocks; the
 * result is stored. The content is read twice, so that nothing is stored unless all of it verifies.
 * @throws {AppError} 503 if the content is missing or the cache admits no more in this hour.
 */
export async function storeSite(env: Env, list: string, take: TakeMemory): Promise<void> {
  const { maxDecodedBytes } = readConfig(env)
  const open = async () => (await getRecord(env.BUCKET, list)) ?? notStored()
  const record = await open()
  const { form } = record
  const root = form.encoding === 'oversize' ? undefined : parseCid(form.root ?? '')
  const source = { env, take, maxDecodedBytes, reopen: open }
  const read = async function* (opened: ContentRecord): AsyncGenerator<Uint8Array> {
    const decoded = await encodeFor(opened, list, { brotli: false, partial: false, source })
    if (decoded.body instanceof Uint8Array) yield decoded.body
    // A part is there until the next is requested, and blocks are written from several.
    else for await (const part of partsOf(decoded)) yield part.slice()
  }
  if (!root || !(await isSite(() => read(record), root, maxDecodedBytes))) {
    return await putListMark(env.BUCKET, { prefix: SITE_PREFIX, list }, '')
  }
  // Of a stored item they are all there, the root since all others are.
  if (!(await env.BUCKET.head(BLOCK_PREFIX + blockName(root)))) {
    const size = form.encoding === 'br' ? form.decodedBytes : sizeOf(record)
    if (!(await admitToCache(env, 'ipfs', size, now()))) throw notStored()
    await publishCar(env.BUCKET, read(await open()), CACHED_BLOCK_PREFIX)
  }
  await putListMark(env.BUCKET, { prefix: SITE_PREFIX, list }, canonicalCid(root))
}

function notStored(): never {
  const message = 'The files of this website cannot be stored right now, so none of them can be read. Try again later.'
  throw unavailable('busy', message, { retryAfter: 60 })
}
