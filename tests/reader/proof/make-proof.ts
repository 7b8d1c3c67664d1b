import { toHex } from '../../../protocol/bytes.ts'
import { reverseHex, transactionId } from '../../../protocol/transaction.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { branchAt, treeLevels } from '../../../reader/proof/merkle-tree.ts'
import { makeHeader } from './make-header.ts'

/** An answer of `GET /v0/proof/…` with one block of the easiest work, which has these transactions and no others. */
export function makeProof(transactions: readonly Uint8Array[], time = 1_700_000_000) {
  const levels = treeLevels(transactions.map(sha256d))
  const header = makeHeader({ merkleRoot: levels.at(-1)?.[0] ?? new Uint8Array(0), time })
  const placed = transactions.map((bytes, position) => {
    return { txid: transactionId(bytes), position, branch: branchAt(levels, position).map(reverseHex) }
  })
  const block = { height: 256, hash: reverseHex(sha256d(header)), header: toHex(header) }
  return { blocks: [{ ...block, transactions: placed, following: [] }] }
}
