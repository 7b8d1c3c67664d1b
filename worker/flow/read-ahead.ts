import type { CID } from 'multiformats/cid'
import type { BlockSource } from '../ipfs/blocks/block-store.ts'

/** Blocks asked for ahead of the reader: memory stays within so many. */
const READ_AHEAD = 4

/** The blocks of CIDs in order, the next few on their way while the reader is busy. @throws as `BlockSource.get`. */
export async function* readAhead(source: BlockSource, cids: readonly CID[]): AsyncGenerator<Uint8Array, undefined> {
  const ahead: Promise<Uint8Array>[] = []
  for (const index of cids.keys()) {
    for (const next of cids.slice(index + ahead.length, index + READ_AHEAD)) {
      const block = source.get(next)
      // Its turn to be awaited comes later, or never when the reader leaves.
      block.catch(() => {})
      ahead.push(block)
    }
    const block = await ahead.shift()
    if (block) yield block
  }
  return undefined
}
