import { sha256 } from '@noble/hashes/sha2.js'
import { providePart } from '../provide-part.ts'

/** SHA-256 for pages over plain http, where browsers have no crypto.subtle. */
export interface InsecurePart {
  sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer>
}

export const part: InsecurePart = { sha256: (bytes) => new Uint8Array(sha256(bytes)) }
providePart(part)
