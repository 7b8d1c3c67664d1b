import { concatBytes, fromHex } from '../protocol/bytes.ts'
import { compactSize, reverseHex, txidBytes } from '../protocol/transaction.ts'
import { type BlockHeader, encodeHeader, solveHeader, type WorkName } from './block.ts'
import { sha256d } from './hash.ts'
import { deriveLedgerTransaction, type LedgerTransaction } from './ledger-transaction.ts'

/** The bit of a version that says that an AuxPoW follows the header. */
const AUXPOW_VERSION = 0x100
/** The version of the parent's block, which is of no chain ID. */
const PARENT_VERSION = 0x20000000
/** What is before the root of the tree of chains in the parent's coinbase. */
const MAGIC = fromHex('fabe6d6d') ?? new Uint8Array(0)
/** Levels of the tree of chains that are mined together: eight of them. */
const CHAIN_LEVELS = 3
/** Levels of the tree of the parent's transactions, of which only the coinbase exists. */
const PARENT_LEVELS = 4

/**
 * Mines a parent for a header, so that the header itself needs no work; returns it with its AuxPoW, and its hash. The same
 * header has the same AuxPoW each time, so that a journal needs none.
 */
export function mergeMine(
  unsolved: BlockHeader,
  work: WorkName,
  chainId: number,
): { header: BlockHeader; hash: string } {
  const header = { ...unsolved, version: unsolved.version | AUXPOW_VERSION }
  const hash = sha256d(encodeHeader(header))
  const nonce = new DataView(hash.buffer, hash.byteOffset).getUint32(0, true)
  const slot = slotOf(nonce, chainId)
  const chainBranch = siblings(hash, CHAIN_LEVELS)
  const root = fold(hash, slot, chainBranch).toReversed()
  const coinbase = coinbaseOf(concatBytes([MAGIC, root, uint32(2 ** CHAIN_LEVELS), uint32(nonce)]))
  const branch = siblings(sha256d(hash), PARENT_LEVELS)
  const { header: solved, hash: parentHash } = solveHeader(
    {
      version: PARENT_VERSION,
      previous: reverseHex(sha256d(root)),
      merkleRoot: reverseHex(fold(txidBytes(coinbase.txid), 0, branch)),
      time: header.time,
      bits: header.bits,
      nonce: 0,
    },
    work,
  )
  const parent = encodeHeader(solved)
  const list = (hashes: readonly Uint8Array[]) => concatBytes([compactSize(hashes.length), ...hashes])
  const bytes = concatBytes([
    ...[coinbase.raw, txidBytes(parentHash), list(branch), uint32(0)],
    ...[list(chainBranch), uint32(slot), parent],
  ])
  return {
    header: { ...header, auxPow: { coinbase, branch, chainBranch, slot, parent, bytes } },
    hash: reverseHex(hash),
  }
}

/** The slot of a chain among all, from the nonce of their tree (`CAuxPow::getExpectedIndex`). */
function slotOf(nonce: number, chainId: number): number {
  const next = (value: bigint) => (value * 1103515245n + 12345n) % 2n ** 32n
  return Number(next((next(BigInt(nonce)) + BigInt(chainId)) % 2n ** 32n) % 2n ** BigInt(CHAIN_LEVELS))
}

/** Hashes that stand for other chains or transactions: as many as levels, from a seed. */
function siblings(seed: Uint8Array, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, level) => sha256d(concatBytes([seed, Uint8Array.of(level)])))
}

function fold(leaf: Uint8Array, position: number, branch: readonly Uint8Array[]): Uint8Array {
  return branch.reduce((node, sibling, level) => {
    const isRight = ((position >> level) & 1) === 1
    return sha256d(concatBytes(isRight ? [sibling, node] : [node, sibling]))
  }, leaf)
}

function coinbaseOf(named: Uint8Array): LedgerTransaction {
  const script = concatBytes([Uint8Array.of(named.length), named])
  return deriveLedgerTransaction({
    version: 1,
    inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script, sequence: 0, witness: [] }],
    outputs: [{ value: 0n, script: Uint8Array.of(0x51) }],
    lockTime: 0,
  })
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}
