import type { CID } from 'multiformats/cid'
import { MAX_SITE_BLOCKS } from '../../protocol/site-root.ts'
import { ReaderError } from '../reader-error.ts'
import { type BlockHashes, inlineBlock, verifyBlock } from './block-hashes.ts'
import { carBlocks } from './car-blocks.ts'

/** A block that is what its CID says. */
export interface VerifiedBlock {
  cid: CID
  bytes: Uint8Array
}

/**
 * All blocks of the CAR of a website, by `keyOf` of their CIDs; nothing unless the CAR is whole, each block is what its CID
 * says, and they are at most `MAX_SITE_BLOCKS`. `pause` is awaited after each.
 */
export async function verifiedCar(
  car: Uint8Array,
  hashes: BlockHashes,
  maxBlockBytes: number,
  keyOf: (cid: CID) => string,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<Map<string, VerifiedBlock> | undefined> {
  const blocks = new Map<string, VerifiedBlock>()
  let read = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    yield car
  }
  try {
    for await (const block of carBlocks(body(), maxBlockBytes)) {
      if (++read > MAX_SITE_BLOCKS) return undefined
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
