import { toHex } from './bytes.ts'

/** dag-cbor of `{roots: [CIDv1 dag-pb SHA-256], version: 1}` behind its length, but for the digest (CARv1, "Header"). */
const BEFORE = '3aa265726f6f747381d82a58250001701220'
const AFTER = '6776657273696f6e01'
const CID_AT = 14
const DIGEST_AT = 18
const DIGEST_END = 50

/** The most blocks that the CAR of a website may have, repeated ones counted again. */
export const MAX_SITE_BLOCKS = 7_500

/** The number of bytes that {@link siteRoot} reads. */
export const SITE_HEADER_BYTES = 59

/**
 * The root of a website, as the bytes of its CID, by the first bytes of its content: the header of a CAR (version 1) of one
 * directory (docs/formats.md, "A website"). `undefined` for other bytes. The blocks are not verified.
 */
export function siteRoot(content: Uint8Array): Uint8Array | undefined {
  const begins = toHex(content.subarray(0, DIGEST_AT)) === BEFORE
  const ends = toHex(content.subarray(DIGEST_END, SITE_HEADER_BYTES)) === AFTER
  return begins && ends ? content.slice(CID_AT, DIGEST_END) : undefined
}
