import PQueue from 'p-queue'
import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { asAppError } from '../../../platform/http/answer-error.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { quotaRefusal } from '../../auth/quotas.ts'
import { chunkLength } from '../chunk-plan.ts'
import { refuseKeyForCar } from '../refuse-key-for-car.ts'
import { requireItem } from '../require-item.ts'
import { listChunks } from '../sql/item-objects.ts'
import { type PublishedItem, selectListedItems, selectOwnItem } from '../sql/items.ts'
import { beginMerges } from '../sql/move-items.ts'
import { ITEMS_USED } from '../sql/used.ts'
import { requireIndexOffered } from './index-option.ts'
import { mergeSmallItems } from './merge-small-items.ts'
import type { ChunkedItem } from './read-chunks.ts'
import type { MergeEnv } from './store-for-chain.ts'

/** Missing chunks that the message names; the answer's `missing` has them all. */
const NAMED = 10

/** No merge of a list begins later than this after the request, in milliseconds: the next request continues. */
const BEGIN_WITHIN = 15_000

/** What requesting a merge needs of the platform. */
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
 * Merges the caller's uploaded item, or waits a while for the merge under way. The returned item is past
 * `201 Created` when the merge is done; otherwise the caller asks again.
 * @throws {AppError} 404, 409 with the missing chunks or past the account's quota, 422 when its target cannot store it, or has
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
  const item = await requireItem(env.DB, userId, id)
  refuseKeyForCar(item, byKey)
  if (item.state !== 'uploading' && item.state !== 'merging') return item
  await throwRefusal(item, index)
  if (item.state === 'uploading') {
    requireIndexOffered(item.blockchain, index, config)
    if (item.linkedFrom !== null) throw linkedFile()
    if (!item.directoryOf) await requireAllChunks(env.BUCKET, item)
    const begun = await beginMerges(env.DB, userId, [id], quotas.merges, now, index)
    const state = begun ? 'merging' : (await selectOwnItem(env.DB, userId, id))?.state
    const refusal = state === 'uploading' && (await quotaRefusal(env.DB, userId, ITEMS_USED, quotas, { merges: 1 }))
    if (refusal) throw refusal
  }
  // A file of a directory is merged with it.
  const merging = item.partOf ?? id
  await env.ITEM_MERGER.getByName(merging).merge(merging)
  const merged = await requireItem(env.DB, userId, id)
  await throwRefusal(merged, index)
  return merged
}

/** How one of several merges was answered: the item as it is now, or why its merge is refused. */
export type MergeAnswer = { id: string; item: PublishedItem } | { id: string; refusal: AppError }

/**
 * Merges uploaded items of the caller, as many at once as the account may, each answered for itself. An item that is
 * still `201 Created` in its answer is being merged, or waits for others: ask again.
 */
export async function requestMerges(
  env: MergeRequestEnv & MergeEnv,
  config: Pick<Config, 'quotas' | 'chains'>,
  userId: string,
  ids: readonly string[],
  clock: () => number,
  options: MergeRequestOptions = {},
): Promise<MergeAnswer[]> {
  const until = clock() + BEGIN_WITHIN
  const before = await selectOwn(env, userId, ids)
  const begun = await mergeSmallItems(env, config, before, { clock, until, index: options.index })
  const items = begun ? await selectOwn(env, userId, ids) : before
  const merged = new Map(items.filter(isMerged).map((item) => [item.id, item]))
  const merges = new PQueue({ concurrency: config.quotas.merges })
  const mergeOne = async (id: string): Promise<MergeAnswer> => {
    try {
      const known = merged.get(id) ?? (clock() > until ? await selectOwnItem(env.DB, userId, id) : undefined)
      return { id, item: known ?? (await requestMerge(env, config, userId, id, clock(), options)) }
    } catch (error) {
      if (!(error instanceof AppError)) return { id, refusal: asAppError(error) }
      // Other merges of the account are under way: it is merged when they are done.
      const waiting = error.code === 'quota_exceeded' ? await selectOwnItem(env.DB, userId, id) : undefined
      return waiting ? { id, item: waiting } : { id, refusal: error }
    }
  }
  return await merges.addAll(ids.map((id) => () => mergeOne(id)))
}

async function selectOwn({ DB }: Pick<MergeEnv, 'DB'>, userId: string, ids: readonly string[]) {
  return (await selectListedItems(DB, ids)).filter((item) => item.userId === userId)
}

function isMerged({ state, kind }: PublishedItem): boolean {
  // Whether a key may ask for the merge of a CAR is decided with the merge.
  return kind === null && state !== 'uploading' && state !== 'merging'
}

async function throwRefusal(item: PublishedItem, index: boolean | undefined): Promise<void> {
  // Without the index it may be merged.
  if (item.refusal === 'index_not_offered' && !index) return
  // A lost chunk can be sent again; what else is refused stays so until the content changes.
  if (item.state !== 'uploading' || item.refusal === null || item.refusal === 'chunk_lost') return
  // The sentences of all codes are no part of the start: 14 KB of it.
  const { isCodeOf } = await import('../../../../contract/error-codes.ts')
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
export async function missingChunks(bucket: R2Bucket, item: ChunkedItem): Promise<number[]> {
  if (item.chunks === 0) return []
  const lengths = await listChunks(bucket, item.id)
  return Array.from({ length: item.chunks }, (_, index) => index).filter(
    (index) => lengths.get(index) !== chunkLength(item, index),
  )
}
