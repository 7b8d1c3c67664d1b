import type { CID } from 'multiformats/cid'
import { MAX_SITE_BLOCKS } from '../../../protocol/site-root.ts'
import { AppError } from '../../platform/http/errors.ts'
import { checkedCar, type ImportedCar } from '../ipfs/blocks/import-car.ts'
import { isDirectory } from '../ipfs/dag/is-directory.ts'

/**
 * Whether content is a website: a CAR of which every block verifies and whose root, which is there, is a directory. `read`
 * returns its bytes. @throws what `read` throws.
 */
export async function isSite(read: () => AsyncIterable<Uint8Array>, root: CID, maxBytes: number): Promise<boolean> {
  let failure: unknown
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      yield* read()
    } catch (error) {
      failure = error
      throw error
    }
  }
  const imported: ImportedCar = { roots: [], blocks: 0, bytes: 0 }
  let directory = false
  const lookAt = (cid: CID, block: Uint8Array) => {
    if (cid.equals(root)) directory = isDirectory(cid, block)
  }
  try {
    const limits = { bytes: maxBytes, blocks: MAX_SITE_BLOCKS }
    for await (const _ of checkedCar(content(), imported, limits, lookAt)) {
      // Each block is checked on the way.
    }
    return directory
  } catch (error) {
    if (failure !== undefined) throw failure
    if (error instanceof AppError) return false
    throw error
  }
}
