import { pendingBlocks } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { addFile } from '../../../content/ipfs/dag/add-file.ts'
import type { MergeOutcome } from '../sql/move-items.ts'
import { hashed } from './hashed-bytes.ts'
import { readChunks } from './read-chunks.ts'

/** Turns an upload into a UnixFS file whose blocks wait, unread by the gateway, until the item is paid. */
export async function buildDag(
  bucket: R2Bucket,
  upload: { id: string; size: number; chunkSize: number; chunks: number },
): Promise<MergeOutcome> {
  const content = hashed(readChunks(bucket, upload))
  const { cid, storedSize } = await addFile(pendingBlocks(bucket, upload.id), content.bytes)
  return { cid: cid.toString(), storedSize, transactions: 0, maxDataBytes: null, sha256: content.sha256() }
}
