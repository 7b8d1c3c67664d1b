import type { R2Bucket } from '@cloudflare/workers-types'
import type { CID } from 'multiformats/cid'
import { code as RAW } from 'multiformats/codecs/raw'
import { pbLinks } from '../../../../reader/unixfs/pb-links.ts'
import { scanPb } from '../../../../reader/unixfs/scan-node.ts'
import { readStored } from '../blocks/stored-blocks.ts'
import { pause } from './dag-node.ts'

/**
 * The bytes of all blocks of a stored file, as a directory that links it states them (UnixFS, Tsize).
 * @throws {Error} when its root is not stored, or damaged.
 */
export async function storedDagSize(bucket: R2Bucket, cid: CID): Promise<bigint> {
  const stored = await readStored(bucket, cid)
  if (stored.found !== 'block') throw new Error(`the root ${cid} of a linked file cannot be read: ${stored.found}`)
  const { bytes } = stored
  let size = BigInt(bytes.byteLength)
  if (cid.code === RAW) return size
  for await (const links of pbLinks(bytes, scanPb(bytes).bounds, pause)) {
    for (const { Tsize = 0 } of links) size += BigInt(Tsize)
  }
  return size
}
