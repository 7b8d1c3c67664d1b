import { ReadAheadPermits } from '../../../../reader/read-ahead.ts'
import { freeMemoryOf, type MemoryShare } from '../../../platform/flow/memory-budget.ts'
import { MAX_BLOCK_BYTES } from './verify-block.ts'

/** Permits to read blocks ahead of the reader, as long as the isolate has memory for them that nobody waits for. */
export class ReadAheadMemory extends ReadAheadPermits {
  readonly #client: string | undefined
  readonly #shares: MemoryShare[] = []

  /** `most` blocks for one request, of a client with this address. */
  constructor(most: number, client: string | undefined) {
    super(most)
    this.#client = client
  }

  override acquire(): boolean {
    if (!super.acquire()) return false
    const share = freeMemoryOf('ipfs', this.#client, MAX_BLOCK_BYTES)
    if (share) this.#shares.push(share)
    else super.release()
    return share !== undefined
  }

  override release(): void {
    this.#shares.shift()?.release()
    super.release()
  }
}
