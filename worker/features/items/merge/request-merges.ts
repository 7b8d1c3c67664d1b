import PQueue from 'p-queue'
import type { Config } from '../../../platform/config/config.ts'
import { asAppError } from '../../../platform/http/answer-error.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { type PublishedItem, selectListedItems, selectOwnItem } from '../sql/items.ts'
import { mergeSmallItems } from './merge-small-items.ts'
import { type MergeRequestEnv, type MergeRequestOptions, requestMerge } from './request-merge.ts'
import type { MergeEnv } from './store-for-chain.ts'

/** No merge of a list begins later than this after the request, in milliseconds: whoever asks again goes on with it. */
const BEGIN_WITHIN = 15_000

/** How one of several merges was answered: the item as it is now, or why its merge is refused. */
export type MergeAnswer = { id: string; item: PublishedItem } | { id: string; refusal: AppError }

/**
 * Merges uploaded items of the caller, as many at once as the account may, each answered for itself. An item that is
 * still `201 Created` in its answer is being merged, or its turn did not come: ask again.
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
      // Other merges of the account are under way: its turn comes when they are done.
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
