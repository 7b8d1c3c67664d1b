import { createHash } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import type { CID } from 'multiformats/cid'
import { doubleSha256 } from '../../chain/double-sha256.ts'
import { AppError } from '../../http/errors.ts'

/** The largest block that is taken in, in bytes: what IPFS nodes exchange at most. */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024

/** An identity CID carries its bytes itself; beyond this (bytes) it is a way to have a gateway relay anything. */
const MAX_IDENTITY_BYTES = 128

const IDENTITY = 0x00

/** Hash functions by multihash code. What is broken (MD5, SHA-1) or truncated is not in the list. */
const HASHES = new Map<number, (bytes: Uint8Array) => Uint8Array>([
  [0x12, (bytes) => createHash('sha256').update(bytes).digest()],
  [0x13, (bytes) => createHash('sha512').update(bytes).digest()],
  [0x16, (bytes) => createHash('sha3-256').update(bytes).digest()],
  [0x1e, (bytes) => blake3(bytes)],
  [0x56, doubleSha256],
  [0xb220, (bytes) => blake2b(bytes, { dkLen: 32 })],
])

/**
 * The bytes of an identity CID, or `undefined` when the bytes have to be fetched.
 * @throws {AppError} 400 for a hash function that cannot be checked, or too much in an identity CID.
 */
export function inlineBlock(cid: CID): Uint8Array | undefined {
  const { code, digest } = cid.multihash
  if (code === IDENTITY) {
    if (digest.byteLength <= MAX_IDENTITY_BYTES) return digest
    const message = `An identity CID may carry at most ${MAX_IDENTITY_BYTES} bytes here.`
    throw new AppError(400, 'identity_too_large', message)
  }
  if (HASHES.has(code)) return undefined
  const message = `The hash function 0x${code.toString(16)} of this CID cannot be verified here.`
  throw new AppError(400, 'unsupported_hash', message)
}

/** Whether `bytes` are the block that `cid` names; false also where the hash function is not known. */
export function verifyBlock(cid: CID, bytes: Uint8Array): boolean {
  const { code, digest } = cid.multihash
  const expected = code === IDENTITY ? bytes : HASHES.get(code)?.(bytes)
  if (expected?.byteLength !== digest.byteLength) return false
  return digest.every((byte, index) => byte === expected[index])
}
