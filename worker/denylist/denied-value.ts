import { sha256 } from '@noble/hashes/sha2.js'
import { base16 } from 'multiformats/bases/base16'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'
import { invalidField } from '../errors.ts'

export const DENIED_KINDS = ['txid', 'cid', 'item'] as const
export type DeniedKind = (typeof DENIED_KINDS)[number]

export interface DeniedValue {
  kind: DeniedKind
  /** Lowercase hex txid, CIDv1 in base32, or object id. */
  value: string
  /** 64 lowercase hex digits: what the list is searched by. */
  digest: string
}

const SHA2_256 = 0x12
const BASES = base32.decoder.or(base36.decoder).or(base58btc.decoder).or(base16.decoder).or(base64url.decoder)

/** A value of a denylist entry in its one spelling. @throws {AppError} 400. */
export function parseDeniedValue(kind: unknown, value: unknown): DeniedValue {
  if (typeof value !== 'string') throw invalidField('value', 'must be a string.')
  switch (kind) {
    case 'txid': {
      const txid = value.toLowerCase()
      if (!/^[0-9a-f]{64}$/.test(txid)) throw invalidField('value', 'must be a transaction id of 64 hex digits.')
      return { kind, value: txid, digest: txid }
    }
    case 'item':
      if (!/^[0-9a-f]{24}$/.test(value)) throw invalidField('value', 'must be an object id of 24 lowercase hex digits.')
      return { kind, value, digest: itemDigest(value) }
    case 'cid': {
      const cid = parseCid(value)
      if (!cid) throw invalidField('value', 'must be a content id (CID).')
      return { kind, value: CID.createV1(cid.code, cid.multihash).toString(base32), digest: cidDigest(cid) }
    }
    default:
      throw invalidField('kind', `must be one of ${DENIED_KINDS.join(', ')}.`)
  }
}

/** A CID in any usual base; `undefined` when it is none. */
export function parseCid(text: string): CID | undefined {
  try {
    return CID.parse(text, text.startsWith('Qm') ? undefined : BASES)
  } catch {
    return undefined
  }
}

/**
 * What a CID is searched by: its multihash alone, as compact denylists do (IPIP-383), or naming another codec
 * would get round it.
 */
export function cidDigest(cid: CID): string {
  const { code, digest, bytes } = cid.multihash
  return toHex(code === SHA2_256 && digest.length === 32 ? digest : sha256(bytes))
}

export function itemDigest(id: string): string {
  return id.padEnd(64, '0')
}
