import { listChunks } from '../storage/items/item-objects.ts'
import type { Item } from '../storage/items/items.ts'
import { chunkLength } from './chunk-plan.ts'

/** Bytes that are held of an upload: of chunks that are whole. */
export async function countReceived(
  bucket: R2Bucket,
  item: Pick<Item, 'id' | 'size' | 'chunkSize' | 'chunks'>,
): Promise<number> {
  let bytes = 0
  for (const [index, length] of await listChunks(bucket, item.id)) {
    if (chunkLength(item, index) === length) bytes += length
  }
  return bytes
}
