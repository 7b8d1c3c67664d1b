import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import type { Estimate } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'

/**
 * What storing would cost now, at most, fees of everyone included. `undefined` from an older service, which tells the
 * price of uploaded files only.
 */
export async function estimatePrice(
  client: Client,
  target: StorageTarget,
  files: readonly { size: number; mimetype: string }[],
  signal: AbortSignal,
): Promise<Estimate | undefined> {
  const sizes = files.map(({ size, mimetype }) => ({ size, mimetype }))
  try {
    return await client.estimate({ blockchain: target, files: sizes }, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
