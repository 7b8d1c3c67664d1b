import { createHash } from 'node:crypto'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { scrypt } from '@noble/hashes/scrypt.js'

/** SHA-256 by the platform: a 102 KB transaction costs 0.1 ms rather than 0.3. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}

/** Double SHA-256, which Bitcoin uses for transactions, blocks and signature messages. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

/** The hash of a header that counts as work on Dogecoin: scrypt with itself as the salt, N 1,024, r 1, p 1. */
export function scryptOfHeader(header: Uint8Array): Uint8Array {
  return scrypt(header, header, { N: 1024, r: 1, p: 1, dkLen: 32 })
}

/** The hash of a public key in addresses. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}
