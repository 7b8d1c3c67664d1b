import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { estimateFiles } from '../../client/put/estimate-files.ts'
import type { Estimate, Item } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import type { TargetFacts } from './find-target.ts'

/**
 * What storing would cost now, at most, fees of everyone included. `undefined` where it is known once the files are uploaded:
 * from an older service, and where they fit only compressed.
 */
export async function estimatePrice(
  client: Client,
  place: { to: StorageTarget; directory: boolean; index?: boolean | undefined },
  files: readonly { size: number; mimetype: string }[],
  signal: AbortSignal,
): Promise<Estimate | undefined> {
  try {
    return await estimateFiles(client.estimate, place, files, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/**
 * Sizes of merged items as an estimate takes them, in bytes. The service counts what can be stored where nothing is
 * compressed, so the last bytes that an item may have stored are no size of a file: they cost what the largest one does.
 */
export function sizesAsStored(
  items: readonly Item[],
  { maxIncompressibleBytes = Number.POSITIVE_INFINITY }: TargetFacts,
): { size: number; mimetype: string }[] {
  return items.map(({ storedSize, size, mimetype }) => {
    return { size: Math.min(storedSize ?? size, maxIncompressibleBytes), mimetype }
  })
}
