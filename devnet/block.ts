import { concatBytes, fromHex, toHex } from '../protocol/bytes.ts'
import { compactSize, reverseHex, type Transaction, txidBytes } from '../protocol/transaction.ts'
import type { AuxPow } from './aux-pow.ts'
import { scryptOfHeader, sha256d } from './hash.ts'
import { deriveLedgerTransaction, type LedgerTransaction } from './ledger-transaction.ts'

/** regtest's difficulty: half of all hashes pass. The work is real and checked, and costs two hashes. */
export const REGTEST_BITS = 0x207fffff

/** The hashes of proof of work; blocks are named by double SHA-256 in any case. */
const WORK = { sha256d, scrypt: scryptOfHeader }
export type WorkName = keyof typeof WORK

/** The fields of a block's 80-byte header, and what follows them. */
export interface BlockHeader {
  version: number
  previous: string
  merkleRoot: string
  /** Unix seconds. */
  time: number
  bits: number
  nonce: number
  /** Of a merge-mined block: the work of another chain's. */
  auxPow?: AuxPow | undefined
}

/**
 * The header's serialization: 80 bytes, which are hashed twice for the block's hash, and the AuxPoW of a merge-mined block.
 */
export function encodeHeader(header: BlockHeader): Uint8Array {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, header.version, true)
  bytes.set(txidBytes(header.previous), 4)
  bytes.set(txidBytes(header.merkleRoot), 36)
  view.setUint32(68, header.time, true)
  view.setUint32(72, header.bits, true)
  view.setUint32(76, header.nonce, true)
  return header.auxPow ? concatBytes([bytes, header.auxPow.bytes]) : bytes
}

/** Finds the nonce for the chain's proof of work, and returns the block's hash. */
export function solveHeader(header: BlockHeader, work: WorkName): { header: BlockHeader; hash: string } {
  const bytes = encodeHeader(header)
  const view = new DataView(bytes.buffer)
  for (let nonce = header.nonce; ; nonce++) {
    view.setUint32(76, nonce, true)
    if ((WORK[work](bytes)[31] ?? 0xff) < 0x80)
      return { header: { ...header, nonce }, hash: reverseHex(sha256d(bytes)) }
  }
}

/** The levels of a merkle tree over txids (or wtxids), which are first, with Bitcoin's doubling of an odd last one. */
export function merkleLevels(ids: readonly string[]): Uint8Array[][] {
  let level: Uint8Array[] = ids.map(txidBytes)
  const levels = [level]
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? new Uint8Array(32)
      next.push(sha256d(concatBytes([left, level[i + 1] ?? left])))
    }
    level = next
    levels.push(level)
  }
  return levels
}

/** The merkle root over txids (or wtxids). */
export function merkleRoot(ids: readonly string[]): string {
  return reverseHex(merkleLevels(ids).at(-1)?.[0] ?? new Uint8Array(32))
}

function scriptNumber(value: number): Uint8Array {
  if (value === 0) return Uint8Array.of(0)
  if (value <= 16) return Uint8Array.of(0x50 + value)
  const bytes: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  if ((bytes.at(-1) ?? 0) >= 0x80) bytes.push(0)
  return Uint8Array.of(bytes.length, ...bytes)
}

/**
 * A block's first transaction: the height by BIP 34, `extra` to distinguish two blocks of one height, the outputs, and
 * with segwit the commitment to all wtxids (BIP 141).
 */
export function makeCoinbase(
  height: number,
  extra: number,
  outputs: Transaction['outputs'],
  wtxids: readonly string[] | undefined,
): LedgerTransaction {
  const reserved = new Uint8Array(32)
  const commitment = wtxids && {
    value: 0n,
    script: concatBytes([
      fromHex('6a24aa21a9ed') ?? reserved,
      sha256d(concatBytes([txidBytes(merkleRoot(['0'.repeat(64), ...wtxids])), reserved])),
    ]),
  }
  return deriveLedgerTransaction({
    version: 2,
    inputs: [
      {
        txid: '0'.repeat(64),
        vout: 0xffffffff,
        script: concatBytes([scriptNumber(height), scriptNumber(extra), Uint8Array.of(0)]),
        sequence: 0xffffffff,
        witness: commitment ? [reserved] : [],
      },
    ],
    outputs: commitment ? [...outputs, commitment] : outputs,
    lockTime: 0,
  })
}

/** The whole block in hex, as getblock with verbosity 0 returns it. */
export function encodeBlock(header: BlockHeader, transactions: readonly LedgerTransaction[]): string {
  return toHex(
    concatBytes([encodeHeader(header), compactSize(transactions.length), ...transactions.map((tx) => tx.raw)]),
  )
}
