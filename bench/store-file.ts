import type { Miniflare } from 'miniflare'
import type { CID } from 'multiformats/cid'
import { BLOCK_PREFIX, blockName } from '../worker/ipfs/blocks/block-key.ts'
import { addFile } from '../worker/ipfs/dag/add-file.ts'

/** Puts a file into the Worker's own block store; returns its CID. */
export async function storeFile(miniflare: Miniflare, bytes: Uint8Array): Promise<string> {
  const bucket = await miniflare.getR2Bucket('BUCKET')
  const sink = {
    async put(cid: CID, block: Uint8Array): Promise<CID> {
      await bucket.put(BLOCK_PREFIX + blockName(cid), block)
      return cid
    },
  }
  const content = (async function* () {
    yield bytes
  })()
  return (await addFile(sink, content)).cid.toString()
}
