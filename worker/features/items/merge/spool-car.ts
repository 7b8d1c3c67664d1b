import type { CID } from 'multiformats/cid'
import { SeenCids } from '../../../content/ipfs/blocks/block-key.ts'
import type { BlockSink } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { isDirectory } from '../../../content/ipfs/dag/is-directory.ts'
import { carHeader, carSection } from '../../../content/ipfs/formats/car-section.ts'
import { putStream } from '../../../platform/flow/put-stream.ts'
import { carKey } from '../sql/item-objects.ts'

/** A CAR (version 1) of one directory: its root, the other directories, then files, and no block twice. */
export interface DirectoryCar {
  /** In bytes. */
  size: number
  blocks: number
  /** Its bytes; may be called again. */
  read(): AsyncGenerator<Uint8Array>
}

/**
 * Writes the blocks of files beside the item as `add` puts them, and holds those of directories, which the importer makes
 * last: so a directory of 2,000 files is read once, and needs some hundred KiB of memory. `sink` receives each block as well.
 */
export async function spoolCar<T extends { cid: CID }>(
  bucket: R2Bucket,
  itemId: string,
  sink: BlockSink,
  add: (sink: BlockSink) => Promise<T>,
): Promise<T & { car: DirectoryCar }> {
  const directories: Uint8Array[][] = []
  const seen = new SeenCids()
  let blocks = 0
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const files = writable.getWriter()
  const spooled = putStream(bucket, carKey(itemId), readable, Number.POSITIVE_INFINITY)
  spooled.catch(() => {})
  try {
    const added = await add({
      async put(cid, block) {
        if (seen.add(cid)) {
          blocks++
          const section = carSection(cid, block)
          if (isDirectory(cid, block)) directories.unshift(section)
          // All at once: other blocks are put meanwhile, and a section is one piece.
          else await Promise.all(section.map((part) => files.write(part)))
        }
        return await sink.put(cid, block)
      },
    })
    await files.close()
    const head = [carHeader([added.cid]), ...directories.flat()]
    const size = head.reduce((sum, { length }) => sum + length, (await spooled) ?? 0)
    return { ...added, car: { size, blocks, read: () => readCar(bucket, itemId, head) } }
  } catch (error) {
    await files.abort(error).catch(() => {})
    throw error
  }
}

async function* readCar(bucket: R2Bucket, itemId: string, head: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* head
  const object = await bucket.get(carKey(itemId))
  if (!object) throw new Error(`The blocks of ${itemId} are gone.`)
  yield* object.body
}
