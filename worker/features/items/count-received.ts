import { chunkLength } from './chunk-plan.ts'
import { listChunks } from './sql/item-objects.ts'
import type { Item } from './sql/items.ts'
import { statTail } from './sql/upload-objects.ts'

/** Bytes that are held of an upload: of chunks that are whole, and of the one that is not yet. */
export async function countReceived(
  bucket: R2Bucket,
  item: Pick<Item, 'id' | 'size' | 'chunkSize' | 'chunks'>,
): Promise<number> {
  const [chunks, tail] = await Promise.all([listChunks(bucket, item.id), statTail(bucket, item.id)])
  let bytes = 0
  for (const [index, length] of chunks) if (chunkLength(item, index) === length) bytes += length
  return tail && !chunks.has(tail.index) ? bytes + tail.length : bytes
}
