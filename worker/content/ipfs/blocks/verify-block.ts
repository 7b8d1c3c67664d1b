import { createHash } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import type { CID } from 'multiformats/cid'
import { CODEC } from '../../../../protocol/cid.ts'
import { doubleSha256 } from '../../../chain/rpc/double-sha256.ts'
import { shareEventLoop } from '../../../platform/flow/budget.ts'
import { AppError } from '../../../platform/http/errors.ts'

/** The largest block that is accepted, in bytes: the most that IPFS nodes exchange. */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024

/** An identity CID carries its bytes itself; beyond this (bytes) it is a way to have a gateway relay anything. */
const MAX_IDENTITY_BYTES = 128

const IDENTITY = 0x00

/** Hash functions by multihash code. What is broken (MD5, SHA-1) or truncated is not in the list. */
const HASHES = new Map<number, (bytes: Uint8Array) => Uint8Array>([
  [0x12, (bytes) => createHash('sha256').update(bytes).digest()],
  [0x13, (bytes) => createHash('sha512').update(bytes).digest()],
  [0x16, (bytes) => createHash('sha3-256').update(bytes).digest()],
  [0x56, doubleSha256],
])

/** Those that the platform does not have: some 40 MB a second. */
const SLOW_HASHES = new Map<number, () => { update(bytes: Uint8Array): unknown; digest(): Uint8Array }>([
  [0x1e, () => blake3.create()],
  [0xb220, () => blake2b.create({ dkLen: 32 })],
])

/** Bytes of a block that are hashed before other requests have their turn: 2 to 5 ms, as many units of a budget. */
const SLOW_PORTION = 64 * 1024
const SLOW_UNITS = 64

/**
 * Work to read a block and decode it, in units of a {@link Budget}: links cost some 3 µs each, and what has none is
 * only hashed.
 */
export function blockWork(cid: CID, bytes: number): number {
  const hashed = bytes / (SLOW_HASHES.has(cid.multihash.code) ? 2 ** 11 : 2 ** 16)
  return 1 + Math.floor(hashed + (cid.code === CODEC.raw ? 0 : bytes / 2 ** 10))
}

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
  if (HASHES.has(code) || SLOW_HASHES.has(code)) return undefined
  const message = `The hash function 0x${code.toString(16)} of this CID cannot be verified here.`
  throw new AppError(400, 'unsupported_hash', message)
}

/** Whether `bytes` are the block that `cid` names; false also where the hash function is not known. */
export async function verifyBlock(cid: CID, bytes: Uint8Array): Promise<boolean> {
  const { code, digest } = cid.multihash
  const expected = code === IDENTITY ? bytes : await hashOf(code, bytes)
  if (expected?.byteLength !== digest.byteLength) return false
  return digest.every((byte, index) => byte === expected[index])
}

async function hashOf(code: number, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const slow = SLOW_HASHES.get(code)?.()
  if (!slow) return HASHES.get(code)?.(bytes)
  for (let start = 0; start < bytes.byteLength; start += SLOW_PORTION) {
    await shareEventLoop(SLOW_UNITS)
    slow.update(bytes.subarray(start, start + SLOW_PORTION))
  }
  return slow.digest()
}
