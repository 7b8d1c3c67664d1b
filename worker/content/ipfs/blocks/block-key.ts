import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'

/** R2 prefix of the blocks of paid items and of imports, which anyone may read; they never expire. */
export const BLOCK_PREFIX = 'ipfs/blocks/'
/** R2 prefix of cached blocks from gateways; they expire, and no item depends on them. */
export const CACHED_BLOCK_PREFIX = 'ipfs/cache/'
/** R2 prefix of the newest valid IPNS record of each name that was requested. */
export const IPNS_RECORD_PREFIX = 'ipfs/ipns/'

/** The name of a block in storage: its multihash, since CIDv0 and CIDv1 name the same bytes. */
export function blockName(cid: CID): string {
  return base32.encode(cid.multihash.bytes)
}

/** {@link blockName} for maps in memory, which ask for it often: a thirtieth of the time. */
export function blockKey(cid: CID): string {
  return latin1(cid.multihash.bytes)
}

function cidKey(cid: CID): string {
  return latin1(cid.bytes)
}

/** CIDs that were seen; the same hash with another version or codec is another CID. */
export class SeenCids {
  readonly #keys = new Set<string>()

  constructor(...cids: CID[]) {
    for (const cid of cids) this.add(cid)
  }

  has(cid: CID): boolean {
    return this.#keys.has(cidKey(cid))
  }

  /** Whether it is seen for the first time. */
  add(cid: CID): boolean {
    const before = this.#keys.size
    return this.#keys.add(cidKey(cid)).size > before
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
