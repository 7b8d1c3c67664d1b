import type { Client } from '../../client/create-client.ts'
import { estimateFiles } from '../../client/store/estimate-files.ts'
import type { PricedFile } from '../../client/store/sizes-when-compressed.ts'
import type { Estimate, Item, Target } from '../../client/types.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import type { Context } from '../run/context.ts'

/**
 * The most that storing would cost now, including all fees. `undefined` where the price is known only after the upload.
 */
export async function estimatePrice(
  client: Client,
  place: { to: StorageTarget; directory: boolean; index?: boolean | undefined },
  files: readonly PricedFile[],
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<Estimate | undefined> {
  const onCompressed = (done: number, total: number) => output.step({ step: 'compressing', done, total, unit: 'bytes' })
  try {
    return await estimateFiles(client, place, files, { signal, onCompressed })
  } finally {
    output.endStep()
  }
}

/**
 * Sizes of merged items for an estimate, in bytes. The service estimates incompressible files up to a limit; a stored
 * item may be a few bytes above it, and costs what the largest file does.
 */
export function sizesAsStored(
  items: readonly Item[],
  { maxIncompressibleBytes }: Pick<Target, 'maxIncompressibleBytes'>,
): PricedFile[] {
  return items.map(({ name, storedSize, size, mimetype }) => {
    return { path: name, size: Math.min(storedSize ?? size, maxIncompressibleBytes), mimetype }
  })
}
