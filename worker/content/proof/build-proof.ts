import { toHex } from '../../../protocol/bytes.ts'
import { reverseHex, txidBytes } from '../../../protocol/transaction.ts'
import { branchAt, treeLevels } from '../../../reader/proof/merkle-tree.ts'
import { doubleSha256 } from '../../chain/rpc/double-sha256.ts'
import type { InChain } from './find-in-chain.ts'
import type { MinedBlock } from './read-mined.ts'

/** An answer of `GET /v0/proof/…` (docs/formats.md). */
export interface ProofJson {
  blocks: {
    height: number
    hash: string
    header: string
    transactions: { txid: string; position: number; branch: string[] }[]
    checkpoint?: { height: number; branch: string[] }
    following?: string[]
  }[]
}

/**
 * The proof of transactions from their blocks: where in the tree of its block each is, and what is beside its path; of a block
 * of the pinned chain also what is beside its path in that.
 */
export function buildProof(blocks: readonly MinedBlock[], inChain: InChain | undefined): ProofJson {
  return {
    blocks: blocks.map(({ height, hash, header, txids, wanted, following }) => {
      const levels = treeLevels(txids.map(txidBytes), doubleSha256)
      const transactions = wanted.map((txid) => {
        const position = txids.indexOf(txid)
        return { txid, position, branch: branchAt(levels, position).map(reverseHex) }
      })
      const branch = inChain?.branches.get(hash)
      return {
        height,
        hash,
        header: toHex(header),
        transactions,
        ...(inChain && branch
          ? { checkpoint: { height: inChain.height, branch: branch.map(reverseHex) } }
          : { following: following.map(toHex) }),
      }
    }),
  }
}
