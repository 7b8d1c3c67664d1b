import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'

/** R2 prefix of the blocks that anyone may read. */
export const BLOCK_PREFIX = 'ipfs/blocks/'

/** The name of a block in storage: its multihash, since CIDv0 and CIDv1 name the same bytes. */
export function blockName(cid: CID): string {
  return base32.encode(cid.multihash.bytes)
}
