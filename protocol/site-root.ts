/** dag-cbor of `{roots: [CIDv1 dag-pb SHA-256], version: 1}` behind its length, but for the digest (CARv1, "Header"). */
const BEFORE = [0x3a, 0xa2, 0x65, ...ascii('roots'), 0x81, 0xd8, 0x2a, 0x58, 0x25, 0, 1, 0x70, 0x12, 0x20]
const AFTER = [0x67, ...ascii('version'), 1]
const CID_AT = BEFORE.length - 4
const DIGEST_BYTES = 32

/** The length in bytes of what {@link siteRoot} looks at. */
export const SITE_HEADER_BYTES = BEFORE.length + DIGEST_BYTES + AFTER.length

/**
 * The root of a website, as the bytes of its CID, by the first bytes of its content: the header of a CAR (version 1) of one
 * directory (docs/formats.md, "A website"). `undefined` for what begins otherwise. Whether the blocks verify is not looked at.
 */
export function siteRoot(content: Uint8Array): Uint8Array | undefined {
  if (content.length < SITE_HEADER_BYTES) return undefined
  const holds = (bytes: readonly number[], at: number) => bytes.every((byte, index) => content[at + index] === byte)
  if (!holds(BEFORE, 0) || !holds(AFTER, BEFORE.length + DIGEST_BYTES)) return undefined
  return content.slice(CID_AT, BEFORE.length + DIGEST_BYTES)
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}
