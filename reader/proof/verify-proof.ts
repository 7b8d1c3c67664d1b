import { reverseHex, transactionId, txidBytes } from '../../protocol/transaction.ts'
import { type BlockHeader, HEADER_BYTES, readHeader } from './block-header.ts'
import { checkHeaders, type HeaderRules } from './check-headers.ts'
import { checkInChain } from './checkpoint.ts'
import { foldTransaction } from './fold-branch.ts'
import { type BlockProof, parseProof } from './parse-proof.ts'
import { refuse } from './refuse.ts'

/** Bytes that a transaction without its witness never has here: they could be a node of a tree (CVE-2017-12842). */
const NODE_BYTES = 64

/**
 * What is proven of a transaction. `unproven`: a header has it, which anybody can make up. `worked`: that header and those
 * after it, `depth` in all, have work. `buried`: its block is block `height` of the pinned chain, `depth` blocks deep at the
 * checkpoint, itself counted.
 */
export type Proven =
  | { state: 'unproven'; depth: 0; time: number }
  | { state: 'worked'; depth: number; time: number }
  | { state: 'buried'; depth: number; height: number; time: number }

/**
 * Checks an answer of `GET /v0/proof/…` for transactions by their txids, each serialized without its witness, and says what it
 * proves of each. A generator, which yields before each header whose work is hashed.
 * @throws {ReaderError} `not_proven` where a part of it does not hold, or a transaction is missing.
 */
export function* proveSteps(
  proof: object,
  transactions: ReadonlyMap<string, Uint8Array>,
  rules: HeaderRules,
): Generator<void, Map<string, Proven>> {
  const found = new Map<string, Proven>()
  for (const block of parseProof(proof)) {
    const proven = yield* proveBlock(block, transactions, rules)
    for (const { txid } of block.transactions) found.set(txid, proven)
  }
  for (const txid of transactions.keys()) if (!found.has(txid)) refuse(`The proof has no transaction ${txid}.`)
  return found
}

/** {@link proveSteps} without a pause. @throws {ReaderError} `not_proven` */
export function verifyProof(
  proof: object,
  transactions: ReadonlyMap<string, Uint8Array>,
  rules: HeaderRules,
): Map<string, Proven> {
  const steps = proveSteps(proof, transactions, rules)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function* proveBlock(
  block: BlockProof,
  transactions: ReadonlyMap<string, Uint8Array>,
  rules: HeaderRules,
): Generator<void, Proven> {
  const header = readHeader(block.header)
  if (header.hash !== block.hash) refuse(`The header of block ${block.hash} is of ${header.hash}.`)
  for (const { txid, position, branch } of block.transactions) {
    checkTransaction(txid, transactions.get(txid))
    if (reverseHex(foldTransaction(txidBytes(txid), position, branch)) !== header.merkleRoot) {
      refuse(`Transaction ${txid} is not at position ${position} of block ${block.hash}.`)
    }
  }
  return block.checkpoint ? proveBuried(block, header, rules) : yield* proveWorked(block, header, rules)
}

function checkTransaction(txid: string, bytes: Uint8Array | undefined): void {
  if (!bytes || transactionId(bytes) !== txid) refuse(`Transaction ${txid} was not asked for, or has other bytes.`)
  if (bytes.length === NODE_BYTES) refuse(`Transaction ${txid} of ${NODE_BYTES} bytes could be a node of a tree.`)
}

function proveBuried(
  { hash, height, header: bytes, checkpoint, following }: BlockProof,
  { time }: BlockHeader,
  rules: HeaderRules,
): Proven {
  const pinned = rules.checkpoint
  if (!checkpoint || checkpoint.height !== pinned?.height) {
    refuse(`The proof is of the checkpoint at ${checkpoint?.height}, which is not pinned.`)
  }
  if (bytes.length !== HEADER_BYTES || following.length > 0)
    refuse('A block of the pinned chain needs its header alone.')
  checkInChain({ hash, height, branch: checkpoint.branch }, pinned)
  return { state: 'buried', depth: pinned.height - height + 1, height, time }
}

function* proveWorked(
  { header: bytes, following }: BlockProof,
  { time }: BlockHeader,
  rules: HeaderRules,
): Generator<void, Proven> {
  yield* checkHeaders([bytes, ...following], rules)
  const isWorked = rules.work !== undefined && rules.checkpoint !== undefined
  return isWorked ? { state: 'worked', depth: 1 + following.length, time } : { state: 'unproven', depth: 0, time }
}
