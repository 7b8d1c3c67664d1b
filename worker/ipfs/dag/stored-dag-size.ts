import type { R2Bucket } from '@cloudflare/workers-types'
import { decode } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { code as RAW } from 'multiformats/codecs/raw'
import { readStored } from '../blocks/stored-blocks.ts'

/**
 * The bytes of all blocks of a stored file, as a directory that links it states them (UnixFS, Tsize).
 * @throws {Error} when its root is not stored, or damaged.
 */
export async function storedDagSize(bucket: R2Bucket, cid: CID): Promise<bigint> {
  const stored = await readStored(bucket, cid)
  if (stored.found !== 'block') throw new Error(`the root ${cid} of a linked file cannot be read: ${stored.found}`)
  if (cid.code === RAW) return BigInt(stored.bytes.byteLength)
  const { Links } = decode(stored.bytes)
  return Links.reduce((sum, { Tsize = 0 }) => sum + BigInt(Tsize), BigInt(stored.bytes.byteLength))
}
