import type { Env } from '../../platform/bindings.ts'
import { selectSweepPosition, updateSweepPosition } from '../../platform/d1/sweep-positions.ts'

/** Pages of R2's list that one run of a prefix reads. */
const PAGES = 4
const PAGE = 1000

/**
 * Deletes objects under `prefix` that were stored before `before` (milliseconds since 1970). Each run checks a few thousand
 * objects from where the last run ended, and starts again after the end; two runs at once do no harm.
 */
export async function sweepCache(
  { BUCKET, DB }: Pick<Env, 'BUCKET' | 'DB'>,
  prefix: string,
  before: number,
  pages = PAGES,
): Promise<void> {
  let position = await selectSweepPosition(DB, prefix)
  for (let page = 0; page < pages; page++) {
    const { objects, truncated } = await BUCKET.list({
      prefix,
      limit: PAGE,
      ...(position === '' ? {} : { startAfter: position }),
    })
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key)
    if (old.length > 0) await BUCKET.delete(old)
    position = truncated ? (objects.at(-1)?.key ?? '') : ''
    if (!truncated) break
  }
  await updateSweepPosition(DB, prefix, position)
}
