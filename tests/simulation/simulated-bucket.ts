import { MemoryR2 } from '../kit/in-process/memory-r2.ts'

/**
 * A bucket whose stored contents are read in ranges only, as the writer does. Who asks for a whole one would copy it for readers, by
 * a stream: to them it is gone, which ends the write as the copy would.
 */
export class SimulatedBucket extends MemoryR2 {
  override async get(key: string, options: R2GetOptions = {}): Promise<R2ObjectBody | null> {
    const found = await super.get(key, options)
    return key.startsWith('stored/') && !options.range ? null : found
  }

  /** Records of payouts are listed two at a time, so that a loop over pages has several. A sweep looks at one page of others in a run. */
  override async list(options: R2ListOptions = {}): Promise<R2Objects> {
    return await super.list(options.prefix?.startsWith('payouts/') ? { ...options, limit: 2 } : options)
  }
}
