import { sha256 } from '@noble/hashes/sha2.js'
import type { CID } from 'multiformats/cid'
import type { DeniedKind } from '../../../contract/states.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { canonicalCid, parseCid } from '../../../protocol/cid.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidField } from '../../platform/http/errors.ts'
import type { DeniedValue } from './denied.ts'

const SHA2_256 = 0x12

/** A value of a denylist entry in its one spelling. @throws {AppError} 400. */
export function parseDeniedValue(kind: DeniedKind, value: string): DeniedValue {
  switch (kind) {
    case 'txid': {
      const txid = value.toLowerCase()
      if (!/^[0-9a-f]{64}$/.test(txid)) throw invalidField('value', 'must be a transaction id of 64 hex digits.')
      return { kind, value: txid, digest: txid }
    }
    case 'item':
      if (!isObjectId(value)) throw invalidField('value', 'must be an object id of 24 lowercase hex digits.')
      return { kind, value, digest: itemDigest(value) }
    case 'cid': {
      const cid = parseCid(value)
      if (!cid) throw invalidField('value', 'must be a content id (CID).')
      return { kind, value: canonicalCid(cid), digest: cidDigest(cid) }
    }
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
