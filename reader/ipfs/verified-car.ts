import { MAX_SITE_BLOCKS } from '../../protocol/site-root.ts'
import { ReaderError } from '../reader-error.ts'
import { type BlockHashes, inlineBlock, verifyBlock } from './block-hashes.ts'
import { carBlocks } from './car-blocks.ts'
import { blockKey, type CarBlock } from './car-reader.ts'

/**
 * All blocks of the CAR of a website, by `blockKey` of their CIDs; nothing unless the CAR is whole, each block is what its CID
 * says, and they are at most `MAX_SITE_BLOCKS`. `pause` is awaited after each.
 */
export async function verifiedCar(
  car: Uint8Array,
  hashes: BlockHashes,
  maxBlockBytes: number,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<Map<string, CarBlock> | undefined> {
  const blocks = new Map<string, CarBlock>()
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
      blocks.set(blockKey(block.cid), block)
      await pause()
    }
    return blocks
  } catch (error) {
    if (error instanceof ReaderError) return undefined
    throw error
  }
}
