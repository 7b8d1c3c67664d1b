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
}
