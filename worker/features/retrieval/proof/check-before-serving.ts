import { toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { workOf } from '../../../../reader/proof/chain-work.ts'
import type { Work } from '../../../../reader/proof/check-headers.ts'
import { verifyProof } from '../../../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../../../reader/reader-error.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { InChain } from './find-in-chain.ts'

const HASH_BYTES = 32
/** By header in hex: scrypt takes half a millisecond. */
const hashes = new MemoryCache<Uint8Array>(HASH_BYTES)

/** Of a checkpoint with which no target is too high, and no time too early: only readers know theirs. */
const ANY_WORK = { bits: 0x207fffff, time: 0 }

/**
 * Refuses a proof that a reader would refuse, such as one across a change of the best chain. `inChain` is what the blocks were
 * found in.
 * @throws {AppError} 502
 */
export function checkBeforeServing(
  proof: object,
  transactions: ReadonlyMap<string, Uint8Array>,
  blockchain: Blockchain,
  inChain: Pick<InChain, 'height' | 'root'> | undefined,
  now: number,
): void {
  const work = workOf(blockchain)
  const rules = {
    work: work && remembering(work),
    checkpoint: inChain && { ...ANY_WORK, ...inChain },
    now: Math.floor(now / 1000),
  }
  try {
    verifyProof(proof, transactions, rules)
  } catch (cause) {
    if (!(cause instanceof ReaderError)) throw cause
    throw new AppError(502, 'node_bad_answer', `What the node answered proves nothing: ${cause.message}`, {
      headers: { 'Retry-After': '5' },
      cause,
    })
  }
}

function remembering({ hash, ...work }: Work): Work {
  return {
    ...work,
    hash(header) {
      const key = toHex(header)
      const known = hashes.get(key) ?? hash(header)
      hashes.set(key, known, HASH_BYTES)
      return known
    },
  }
}
