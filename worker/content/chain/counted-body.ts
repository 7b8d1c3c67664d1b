import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import { PART_BYTES } from './part-hashes.ts'

/**
 * The memory of a body that is read in parts (bytes): one part, and the buffers of the streams after it. Uncounted, thirty
 * readers of 16 MiB used 35 MB beside all that was counted.
 */
const READER_BYTES = PART_BYTES + (256 << 10)

/** A body that reserves memory of the isolate while it is read in parts; reading throws {AppError} 503 if there is none. */
export function countedBody(body: SizedBody, take: TakeMemory): SizedBody {
  return {
    ...body,
    async *read(range) {
      const share = await take('read', READER_BYTES)
      try {
        for await (const bytes of body.read(range)) {
          share.touch()
          yield bytes
          share.touch()
        }
      } finally {
        share.release()
      }
    },
  }
}
