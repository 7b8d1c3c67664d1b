import type { Blockchain } from '../../../../protocol/chains.ts'
import { verifyProof } from '../../../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../../../reader/reader-error.ts'
import type { InChain } from '../../../content/proof/find-in-chain.ts'
import { rememberedWork } from '../../../content/proof/remembered-work.ts'
import { AppError } from '../../../platform/http/errors.ts'

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
  const rules = {
    work: rememberedWork(blockchain),
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
