import { type CodeOf, isCodeOf } from '../../../../contract/error-codes.ts'
import { importBlocks } from '../../../content/ipfs/blocks/import-car.ts'
import { pendingBlocks } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { addFile } from '../../../content/ipfs/dag/add-file.ts'
import { isDirectory } from '../../../content/ipfs/dag/is-directory.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { ImportOutcome, MergeOutcome } from '../sql/move-items.ts'
import { hashed } from './hashed-bytes.ts'
import { type ChunkedItem, readChunks } from './read-chunks.ts'

/**
 * Imports the blocks of an uploaded CAR, which can be read from then on. Returns why where it is refused.
 * @throws {ChunkMissingError}, and what the storage throws.
 */
export async function importUpload(
  bucket: R2Bucket,
  upload: ChunkedItem,
): Promise<ImportOutcome | { code: CodeOf<422>; message: string }> {
  try {
    const { root, rootBlock, bytes } = await importBlocks(bucket, () => readChunks(bucket, upload))
    return { cid: root.toString(), storedSize: bytes, ...(isDirectory(root, rootBlock) && DIRECTORY) }
  } catch (error) {
    if (!(error instanceof AppError) || !isCodeOf(422, error.code)) throw error
    return { code: error.code, message: error.message }
  }
}

/** A directory is shown by its page. */
const DIRECTORY = { mimetype: 'text/html' }

/** Turns an upload into a UnixFS file whose blocks wait, unread by the gateway, until the item is paid. */
export async function buildDag(bucket: R2Bucket, upload: ChunkedItem): Promise<MergeOutcome> {
  const content = hashed(readChunks(bucket, upload))
  const { cid, storedSize } = await addFile(pendingBlocks(bucket, upload.id), content.bytes)
  return { cid: cid.toString(), storedSize, transactions: 0, maxDataBytes: null, sha256: content.sha256() }
}
