import { toHex } from '../../../protocol/bytes.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { workOf } from '../../../reader/proof/chain-work.ts'
import type { Work } from '../../../reader/proof/check-headers.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'

const HASH_BYTES = 32
/** By header in hex: scrypt takes half a millisecond. */
const hashes = new MemoryCache<Uint8Array>(HASH_BYTES)

/** The proof of work of a chain, which hashes the same header once. */
export function rememberedWork(blockchain: Blockchain): Work | undefined {
  const work = workOf(blockchain)
  return (
    work && {
      ...work,
      hash(header) {
        const key = toHex(header)
        const known = hashes.get(key) ?? work.hash(header)
        hashes.set(key, known, HASH_BYTES)
        return known
      },
    }
  )
}
