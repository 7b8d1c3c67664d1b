import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { estimateFiles } from '../../client/put/estimate-files.ts'
import type { Estimate } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'

/**
 * What storing would cost now, at most, fees of everyone included. `undefined` where it is known once the files are uploaded:
 * from an older service, and where they fit only compressed.
 */
export async function estimatePrice(
  client: Client,
  target: StorageTarget,
  files: readonly { size: number; mimetype: string }[],
  signal: AbortSignal,
): Promise<Estimate | undefined> {
  try {
    return await estimateFiles(client.estimate, target, files, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
