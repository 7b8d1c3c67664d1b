import { reverseHex } from '../../protocol/transaction.ts'
import { sha256d } from './fold-branch.ts'
import { refuse } from './refuse.ts'

/** Bytes of a header, without the AuxPoW that may follow it. */
export const HEADER_BYTES = 80

/** The target that no hash exceeds. */
const MAX_TARGET = 2n ** 256n - 1n

/** What the 80 bytes of a header say; hashes as displayed. */
export interface BlockHeader {
  hash: string
  /** Signed, as nodes read it. */
  version: number
  previous: string
  merkleRoot: string
  /** Unix seconds. */
  time: number
  /** The target in its short form. */
  bits: number
}

/** The header at the start of `bytes`. @throws {ReaderError} `not_proven` for fewer than 80 bytes. */
export function readHeader(bytes: Uint8Array): BlockHeader {
  if (bytes.length < HEADER_BYTES) refuse(`A header of ${bytes.length} bytes is shorter than ${HEADER_BYTES}.`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    hash: reverseHex(sha256d(bytes.subarray(0, HEADER_BYTES))),
    version: view.getInt32(0, true),
    previous: reverseHex(bytes.subarray(4, 36)),
    merkleRoot: reverseHex(bytes.subarray(36, 68)),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
  }
}

/**
 * The target of `bits`, which a hash may not exceed (Bitcoin Core's arith_uint256::SetCompact).
 * @throws {ReaderError} `not_proven` for zero, a negative number, or more than 256 bits.
 */
export function targetOf(bits: number): bigint {
  const shift = 8 * ((bits >>> 24) - 3)
  const mantissa = BigInt(bits & 0x7fffff)
  const target = shift < 0 ? mantissa >> BigInt(-shift) : mantissa << BigInt(shift)
  if (bits & 0x800000 || target === 0n || target > MAX_TARGET) {
    refuse(`${bits.toString(16).padStart(8, '0')} is no target of a block.`)
  }
  return target
}

/** The highest target that is taken for work: four times that of the checkpoint's difficulty. */
export function highestTarget(checkpointBits: number): bigint {
  const target = 4n * targetOf(checkpointBits)
  return target > MAX_TARGET ? MAX_TARGET : target
}
