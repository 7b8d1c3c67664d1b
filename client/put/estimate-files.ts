import { ApiError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { Estimate, StorageTarget } from '../types.ts'

/** Asks the service what files cost at most. */
export type AskEstimate = (
  order: {
    blockchain: StorageTarget
    files: readonly { size: number; mimetype: string }[]
    directory?: boolean
    index?: boolean | undefined
  },
  options: CallOptions,
) => Promise<Estimate>

/** Media types of what Brotli makes much shorter. */
export const COMPRESSIBLE = /^(text\/|image\/svg\+xml|application\/((.+\+)?(json|xml)|javascript|x-ndjson))/i

/**
 * What files of these sizes (bytes) cost at most, each by itself or as one directory. `undefined` where they are too many bytes for the target only if nothing of
 * them could be compressed: then the price is known once they are stored.
 * @throws {ApiError} 422 where files that hardly compress are too large.
 */
export async function estimateFiles(
  estimate: AskEstimate,
  { to: blockchain, directory, index }: { to: StorageTarget; directory: boolean; index?: boolean | undefined },
  files: readonly { size: number; mimetype: string }[],
  signal: AbortSignal | undefined,
): Promise<Estimate | undefined> {
  const ask = (some: typeof files) =>
    estimate(
      {
        blockchain,
        files: some.map(({ size, mimetype }) => ({ size, mimetype })),
        ...(directory && { directory }),
        index,
      },
      { signal },
    )
  try {
    return await ask(files)
  } catch (error) {
    const tooLarge = error instanceof ApiError && ['content_too_large', 'too_many_transactions'].includes(error.code)
    const others = files.filter(({ mimetype }) => !COMPRESSIBLE.test(mimetype))
    if (!tooLarge || others.length === files.length) throw error
    if (others.length > 0) await ask(others)
    return undefined
  }
}
