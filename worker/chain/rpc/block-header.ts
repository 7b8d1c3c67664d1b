import { concatBytes, fromHex } from '../../../protocol/bytes.ts'
import { reverseHex, txidBytes } from '../../../protocol/transaction.ts'
import { doubleSha256 } from './double-sha256.ts'

/** What a block's 80 bytes say of it; hashes in the usual byte-reversed hex. */
export interface BlockHeader {
  hash: string
  previous: string
  merkleRoot: string
  /** Unix seconds, as its miner said. */
  time: number
}

const HEADER_BYTES = 80

/**
 * The header in `hex`, named by its own hash; `undefined` for another text. What follows the 80 bytes (Dogecoin's
 * merged-mining proof) is not part of what is hashed.
 */
export function readBlockHeader(hex: string): BlockHeader | undefined {
  const bytes = fromHex(hex.slice(0, 2 * HEADER_BYTES))
  if (bytes?.length !== HEADER_BYTES) return undefined
  return {
    hash: reverseHex(doubleSha256(bytes)),
    previous: reverseHex(bytes.subarray(4, 36)),
    merkleRoot: reverseHex(bytes.subarray(36, 68)),
    time: new DataView(bytes.buffer, bytes.byteOffset).getUint32(68, true),
  }
}

/** The Merkle root of a block's txids, in their order: an odd one out is paired with itself. */
export function merkleRoot(txids: readonly string[]): string {
  let level: Uint8Array[] = txids.map((txid) => txidBytes(txid))
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i]
      if (left) above.push(doubleSha256(concatBytes([left, level[i + 1] ?? left])))
    }
    level = above
  }
  return level[0] ? reverseHex(level[0]) : ''
}
