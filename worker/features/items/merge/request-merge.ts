import { isCodeOf } from '../../../../contract/error-codes.ts'
import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { AppError, notFound } from '../../../platform/http/errors.ts'
import { quotaRefusal } from '../../auth/quotas.ts'
import { chunkLength } from '../chunk-plan.ts'
import { refuseKeyForCar } from '../refuse-key-for-car.ts'
import { listChunks } from '../sql/item-objects.ts'
import { type PublishedItem, selectOwnItem } from '../sql/items.ts'
import { beginMerges } from '../sql/move-items.ts'
import { requireIndexOffered } from './index-option.ts'

/** Missing chunks that the message names; the answer's `missing` has them all. */
const NAMED = 10

/** What asking for a merge takes of the platform. */
export interface MergeRequestEnv extends Pick<Env, 'DB' | 'BUCKET'> {
  ITEM_MERGER: { getByName(itemId: string): { merge(itemId: string): Promise<void> } }
}

/** How a merge is requested. */
export interface MergeRequestOptions {
  /** Whether an API key asks. */
  byKey?: boolean
  /** Whether content of several transactions is to have an index; absent: as its chain has it by default. */
  index?: boolean | undefined
}

/**
 * Merges the caller's uploaded item, or waits a while for the merge under way. The item given is past
 * `201 Created` when the merge is done; otherwise the caller asks again.
 * @throws {AppError} 404, 409 with the missing chunks or past the account's quota, 422 when its target can't take it, or has
 *   no index.
 */
export async function requestMerge(
  env: MergeRequestEnv,
  config: Pick<Config, 'quotas' | 'chains'>,
  userId: string,
  id: string,
  now: number,
  { byKey = false, index }: MergeRequestOptions = {},
): Promise<PublishedItem> {
  const { quotas } = config
  const item = await selectOwnItem(env.DB, userId, id)
  if (!item) throw notFound('You have no item with this id.')
  refuseKeyForCar(item, byKey)
  if (item.state !== 'uploading' && item.state !== 'merging') return item
  throwRefusal(item, index)
  if (item.state === 'uploading') {
    requireIndexOffered(item.blockchain, index, config)
    if (item.linkedFrom !== null) throw linkedFile()
    if (!item.directoryOf) await requireAllChunks(env.BUCKET, item)
    const begun = await beginMerges(env.DB, userId, [id], quotas.merges, now, index)
    const state = begun ? 'merging' : (await selectOwnItem(env.DB, userId, id))?.state
    const refusal = state === 'uploading' && (await quotaRefusal(env.DB, userId, quotas, { merges: 1 }))
    if (refusal) throw refusal
  }
  // A file of a directory is merged with it.
  const merging = item.partOf ?? id
  await env.ITEM_MERGER.getByName(merging).merge(merging)
  const merged = await selectOwnItem(env.DB, userId, id)
  if (!merged) throw notFound('You have no item with this id.')
  throwRefusal(merged, index)
  return merged
}

function throwRefusal(item: PublishedItem, index: boolean | undefined): void {
  // Without the index it may be merged.
  if (item.refusal === 'index_not_offered' && !index) return
  // A lost chunk can be sent again; what else is refused stays so until the content changes.
  if (item.state !== 'uploading' || item.refusal === null || item.refusal === 'chunk_lost') return
  const code = isCodeOf(422, item.refusal) ? item.refusal : 'content_too_large'
  throw new AppError(422, code, item.message ?? 'This item cannot be merged.')
}

async function requireAllChunks(bucket: R2Bucket, item: PublishedItem): Promise<void> {
  const missing = await missingChunks(bucket, item)
  if (missing.length === 0) return
  const named = missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? ', …' : '')
  throw new AppError(409, 'chunks_missing', `Upload the missing chunks first: ${named}.`, { details: { missing } })
}

function linkedFile(): AppError {
  const message = 'This file is linked from a stored item. It is merged with its folder.'
  return new AppError(409, 'linked_file', message)
}

/** The indexes of the chunks that have not arrived whole, in order. */
export async function missingChunks(
  bucket: R2Bucket,
  item: { id: string; size: number; chunkSize: number; chunks: number },
): Promise<number[]> {
  if (item.chunks === 0) return []
  const lengths = await listChunks(bucket, item.id)
  return Array.from({ length: item.chunks }, (_, index) => index).filter(
    (index) => lengths.get(index) !== chunkLength(item, index),
  )
}
