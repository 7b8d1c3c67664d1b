import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { txidBytes } from '../../protocol/transaction.ts'

/** What a block's 80 bytes say of it; hashes in the usual byte-reversed hex. */
export interface BlockHeader {
  hash: string
  previous: string
  merkleRoot: string
}

const HEADER_BYTES = 80

function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

function reversedHex(bytes: Uint8Array): string {
  return toHex(Uint8Array.from(bytes).reverse())
}

/**
 * The header in `hex`, named by its own hash; `undefined` when it is none. What follows the 80 bytes (Dogecoin's
 * merged-mining proof) is not part of what is hashed.
 */
export function readBlockHeader(hex: string): BlockHeader | undefined {
  const bytes = fromHex(hex.slice(0, 2 * HEADER_BYTES))
  if (bytes?.length !== HEADER_BYTES) return undefined
  return {
    hash: reversedHex(hash256(bytes)),
    previous: reversedHex(bytes.subarray(4, 36)),
    merkleRoot: reversedHex(bytes.subarray(36, 68)),
  }
}

/** The Merkle root of a block's txids, in their order: an odd one out is paired with itself. */
export function merkleRoot(txids: readonly string[]): string {
  let level: Uint8Array[] = txids.map((txid) => txidBytes(txid))
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i]
      if (left) above.push(hash256(concatBytes([left, level[i + 1] ?? left])))
    }
    level = above
  }
  return level[0] ? reversedHex(level[0]) : ''
}
