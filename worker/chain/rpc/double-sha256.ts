import { hash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'

/** From here on (bytes) the native hash is faster; below, the objects that it leaves behind cost more than it saves. */
const NATIVE_BYTES = 1_024

const blank = sha256.create()
const state = sha256.create()

/** SHA-256 of the SHA-256, as Bitcoin hashes transactions and blocks. */
export function doubleSha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(32)
  if (bytes.length >= NATIVE_BYTES) {
    digest.set(hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer'))
    return digest
  }
  for (const message of [bytes, digest]) blank._cloneInto(state).update(message).digestInto(digest)
  return digest
}
