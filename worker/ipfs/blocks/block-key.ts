import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'

/** R2 prefix of the blocks that anyone may read. */
export const BLOCK_PREFIX = 'ipfs/blocks/'

/** The name of a block in storage: its multihash, since CIDv0 and CIDv1 name the same bytes. */
export function blockName(cid: CID): string {
  return base32.encode(cid.multihash.bytes)
}

/** {@link blockName} for maps in memory, which ask for it often: a thirtieth of the time. */
export function blockKey(cid: CID): string {
  return latin1(cid.multihash.bytes)
}

/** A CID for maps in memory: version and codec included. */
export function cidKey(cid: CID): string {
  return latin1(cid.bytes)
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
