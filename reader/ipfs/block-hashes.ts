import { blake2b } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import { sha512 } from '@noble/hashes/sha2.js'
import type { CID } from 'multiformats/cid'
import type { Sha256 } from '../chain/verify-transaction.ts'
import { ReaderError } from '../reader-error.ts'

/** Hash functions by multihash code (multicodec table). What is broken (MD5, SHA-1) is not among them. */
export type BlockHashes = ReadonlyMap<number, Sha256>

const IDENTITY = 0x00
/** Bytes that a CID itself may carry. */
const MAX_IDENTITY_BYTES = 128

/** SHA-256 of the runtime, and those that stores use beside it. */
export function blockHashes(sha256: Sha256): BlockHashes {
  return new Map<number, Sha256>([
    [0x12, sha256],
    [0x13, (bytes) => sha512(bytes)],
    [0x1e, (bytes) => blake3(bytes)],
    [0xb220, (bytes) => blake2b(bytes, { dkLen: 32 })],
  ])
}

/** The block that a CID carries in itself; `undefined` where it has to be fetched. @throws {ReaderError} `unsupported` */
export function inlineBlock(cid: CID, hashes: BlockHashes): Uint8Array | undefined {
  const { code, digest } = cid.multihash
  if (code === IDENTITY && digest.length <= MAX_IDENTITY_BYTES) return digest
  if (hashes.has(code)) return undefined
  throw new ReaderError('unsupported', `The hash function 0x${code.toString(16)} of ${cid} can't be verified here.`)
}

/** @throws {ReaderError} `not_verified` unless `bytes` are the block that `cid` names. */
export async function verifyBlock(cid: CID, bytes: Uint8Array, hashes: BlockHashes): Promise<void> {
  const { code, digest } = cid.multihash
  const hash = code === IDENTITY ? (same: Uint8Array) => same : hashes.get(code)
  const found = await hash?.(bytes)
  if (found?.length === digest.length && digest.every((byte, index) => byte === found[index])) return
  throw new ReaderError('not_verified', `The block for ${cid} is another one.`)
}
