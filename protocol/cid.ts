import { base16, base16upper } from 'multiformats/bases/base16'
import { base32, base32hex, base32upper } from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64, base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'

const DECODER = base32.decoder
  .or(base32upper.decoder)
  .or(base32hex.decoder)
  .or(base36.decoder)
  .or(base36upper.decoder)
  .or(base58btc.decoder)
  .or(base16.decoder)
  .or(base16upper.decoder)
  .or(base64url.decoder)
  .or(base64.decoder)

/** The codecs that are read here (multicodec table). */
export const CODEC = {
  cbor: 0x51,
  raw: 0x55,
  dagPb: 0x70,
  dagCbor: 0x71,
  libp2pKey: 0x72,
  dagJson: 0x0129,
  json: 0x0200,
} as const

/** The CID of a text in any common multibase; `undefined` where it is no CID. */
export function parseCid(text: string): CID | undefined {
  try {
    // A CIDv0 has no multibase prefix and is read as base58btc.
    return /^Qm/.test(text) ? CID.parse(text) : CID.parse(text, DECODER)
  } catch {
    return undefined
  }
}

/** The one spelling of a CID that is compared and stored: version 1, base32. */
export function canonicalCid(cid: CID): string {
  return cid.toV1().toString(base32)
}
