import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { sleep } from '../../reader/sleep.ts'
import { itemState } from '../item-state.ts'
import type { ItemUploads } from '../resources/item-uploads.ts'
import type { MergeOptions, MergeOutcome } from '../resources/merge.ts'

/** Milliseconds between two requests for items that are still being merged. */
const LOOK_AGAIN_MS = 2_000

/**
 * Merges uploads, in lists, until none is still being merged. Yields the outcomes of each request; an item that is `201 Created` comes again.
 * @throws {HooklineError} an error that concerns all of them
 */
export async function* mergeFiles(
  items: Pick<ItemUploads, 'mergeMany'>,
  ids: readonly string[],
  options: MergeOptions,
): AsyncGenerator<readonly MergeOutcome[]> {
  for (const group of inGroups(ids, MAX_LISTED_ITEMS)) {
    for (let open = group; open.length > 0; ) {
      const outcomes = await items.mergeMany(open, options)
      yield outcomes
      open = outcomes.flatMap(({ id, item }) => (item && itemState(item) === 'uploading' ? [id] : []))
      if (open.length > 0) await sleep(LOOK_AGAIN_MS, options.signal)
    }
  }
}
