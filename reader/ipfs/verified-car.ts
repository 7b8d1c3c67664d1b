import type { CID } from 'multiformats/cid'
import { ReaderError } from '../reader-error.ts'
import { type BlockHashes, inlineBlock, verifyBlock } from './block-hashes.ts'
import { carBlocks } from './car-blocks.ts'

/** A block that is what its CID says. */
export interface VerifiedBlock {
  cid: CID
  bytes: Uint8Array
}

/**
 * All blocks of a CAR, by `keyOf` of their CIDs; nothing unless the CAR is whole and each block is what its CID says. `pause`
 * is awaited after each.
 */
export async function verifiedCar(
  car: Uint8Array,
  hashes: BlockHashes,
  maxBlockBytes: number,
  keyOf: (cid: CID) => string,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<Map<string, VerifiedBlock> | undefined> {
  const blocks = new Map<string, VerifiedBlock>()
  async function* body(): AsyncGenerator<Uint8Array> {
    yield car
  }
  try {
    for await (const block of carBlocks(body(), maxBlockBytes)) {
      // Throws where the hash is one that can't be verified here.
      inlineBlock(block.cid, hashes)
      await verifyBlock(block.cid, block.bytes, hashes)
      blocks.set(keyOf(block.cid), block)
      await pause()
    }
    return blocks
  } catch (error) {
    if (error instanceof ReaderError) return undefined
    throw error
  }
}
