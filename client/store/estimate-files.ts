import { ApiError } from '../http/api-error.ts'
import type { CallOptions } from '../resources/call-options.ts'
import type { Estimate, StorageTarget, Target } from '../types.ts'
import type { EstimatedSize, PricedFile } from './sizes-when-compressed.ts'

/** Asks the service for the most that files cost. */
type RequestEstimate = (
  order: {
    blockchain: StorageTarget
    files: readonly EstimatedSize[]
    directory?: boolean
    index?: boolean | undefined
  },
  options: CallOptions,
) => Promise<Estimate>

/** What is needed to ask for prices. */
export interface PriceTools {
  estimate: RequestEstimate
  targets(options: CallOptions): Promise<Target[]>
}

export interface PriceOptions extends CallOptions {
  /** Called with how many bytes of how many were compressed to learn the price. */
  onCompressed?: ((done: number, total: number) => void) | undefined
}

/**
 * The most that files cost, each one separately or as one directory. Files that fit on a chain only when compressed are
 * compressed here first. `undefined` if this runtime cannot compute their size: then the price is known once they are
 * stored.
 * @throws {ApiError} 422 if something is too large
 */
export async function estimateFiles(
  { estimate, targets }: PriceTools,
  { to: blockchain, directory, index }: { to: StorageTarget; directory: boolean; index?: boolean | undefined },
  files: readonly PricedFile[],
  { signal, onCompressed }: PriceOptions,
): Promise<Estimate | undefined> {
  const ask = (some: readonly EstimatedSize[]) =>
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
    if (!tooLarge) throw error
    const { sizesWhenCompressed } = await import('./sizes-when-compressed.ts')
    const options = { targets: await targets({ signal }), refusal: error, signal, onBytes: onCompressed }
    const sizes = await sizesWhenCompressed(files, { to: blockchain, directory }, options)
    const known = sizes.flatMap((size) => size ?? [])
    const price = known.length > 0 ? await ask(known) : undefined
    return known.length === sizes.length ? price : undefined
  }
}
