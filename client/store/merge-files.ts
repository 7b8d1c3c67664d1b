import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { sleep } from '../../reader/sleep.ts'
import { ApiError } from '../http/api-error.ts'
import type { ItemUploads } from '../resources/item-uploads.ts'
import type { MergeOptions, MergeOutcome } from '../resources/merge.ts'

/** Milliseconds between two requests for items that are still being merged. */
const LOOK_AGAIN_MS = 2_000

/**
 * Merges uploads, in lists where there are several, until none is still being merged. Yields the outcomes of each
 * request; an item that is `201 Created` comes again.
 * @throws {HooklineError} an error that concerns all of them
 */
export async function* mergeFiles(
  items: Pick<ItemUploads, 'merge' | 'mergeMany'>,
  ids: readonly string[],
  options: MergeOptions,
): AsyncGenerator<readonly MergeOutcome[]> {
  for (const group of inGroups(ids, MAX_LISTED_ITEMS)) {
    for (let open = group; open.length > 0; ) {
      const [only] = open
      const outcomes =
        only !== undefined && open.length === 1
          ? [await mergeOne(items, only, options)]
          : await items.mergeMany(open, options)
      yield outcomes
      open = outcomes.flatMap(({ id, item }) => (item?.status === '201 Created' ? [id] : []))
      if (open.length > 0) await sleep(LOOK_AGAIN_MS, options.signal)
    }
  }
}

async function mergeOne(items: Pick<ItemUploads, 'merge'>, id: string, options: MergeOptions): Promise<MergeOutcome> {
  try {
    return { id, item: await items.merge(id, options), refusal: undefined }
  } catch (error) {
    if (error instanceof ApiError) return { id, item: undefined, refusal: error }
    throw error
  }
}
