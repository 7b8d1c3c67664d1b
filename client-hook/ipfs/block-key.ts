import type { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'

/** The database key of a block: its CID, version 1, in base 16. */
export function blockKey(cid: CID): string {
  return `f${toHex(cid.toV1().bytes)}`
}
