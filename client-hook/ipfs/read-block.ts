import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../protocol/bytes.ts'
import { IPFS_LIMITS } from '../../reader/ipfs/ipfs-limits.ts'
import { ReaderError } from '../../reader/reader-error.ts'

const { maxBlockBytes } = IPFS_LIMITS

/**
 * A block joined from its pieces.
 * @throws {ReaderError} `too_large` beyond 4 MiB
 */
export async function readBlock(
  cid: CID,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > maxBlockBytes)
      throw new ReaderError('too_large', `The block ${cid} is larger than ${maxBlockBytes} bytes.`)
    parts.push(piece)
  }
  return parts.length === 1 && parts[0] ? parts[0] : concatBytes(parts)
}
