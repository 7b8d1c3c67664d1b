import { sha256 } from '@noble/hashes/sha2.js'
import type { CID } from 'multiformats/cid'
import { toHex } from '../../../protocol/bytes.ts'
import { canonicalCid, parseCid } from '../../../protocol/cid.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { DENIED_KINDS, type DeniedValue } from './denied.ts'

const SHA2_256 = 0x12
const MAX_REASON_CHARACTERS = 1000

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
      if (!isObjectId(value)) throw invalidField('value', 'must be an object id of 24 lowercase hex digits.')
      return { kind, value, digest: itemDigest(value) }
    case 'cid': {
      const cid = parseCid(value)
      if (!cid) throw invalidField('value', 'must be a content id (CID).')
      return { kind, value: canonicalCid(cid), digest: cidDigest(cid) }
    }
    default:
      throw invalidField('kind', `must be one of ${DENIED_KINDS.join(', ')}.`)
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

/** Why something is to be denied, or not, or was reported. @throws {AppError} 400. */
export function parseReason(reason: unknown): string {
  if (!isStatement(reason, MAX_REASON_CHARACTERS) || reason.trim() === '') {
    throw invalidField('reason', `must be a text of 1 to ${MAX_REASON_CHARACTERS} characters that people can read.`)
  }
  return reason
}

/**
 * Whether a value is a text of at most so many characters that a database gives back as it was written, in lines: no
 * broken Unicode, no control characters, of which one ends a text in SQLite's functions.
 */
export function isStatement(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && !/[^\P{Cc}\t\r\n]|\p{Cs}/u.test(value)
}
