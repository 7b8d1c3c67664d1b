import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes, fromHex, toHex } from '../protocol/bytes.ts'
import { sha256 } from './hash.ts'

// DER of SubjectPublicKeyInfo {ecPublicKey, secp256k1} up to a compressed point, RFC 5480.
const SPKI_PREFIX = fromHex('3036301006072a8648ce3d020106052b8104000a032200') ?? new Uint8Array(0)
const MAX_KEYS = 4096

const keys = new Map<string, KeyObject>()
let native = true

/** OpenSSL's verify takes 0.3 ms where ours in JavaScript takes 1.4; workerd's BoringSSL lacks this curve. */
function nativeKey(publicKey: Uint8Array): KeyObject | undefined {
  if (!native) return undefined
  const id = toHex(publicKey)
  const known = keys.get(id)
  if (known) return known
  if (!secp256k1.utils.isValidPublicKey(publicKey)) return undefined
  try {
    const der = concatBytes([SPKI_PREFIX, secp256k1.Point.fromBytes(publicKey).toBytes(true)])
    const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
    if (keys.size >= MAX_KEYS) keys.clear()
    keys.set(id, key)
    return key
  } catch {
    native = false
    return undefined
  }
}

/** Whether `signature` (DER) of `publicKey` signs the double SHA-256 whose inner hash is `innerHash`. */
export function verifySignature(publicKey: Uint8Array, signature: Uint8Array, innerHash: Uint8Array): boolean {
  const key = nativeKey(publicKey)
  try {
    if (key) return verify('sha256', innerHash, key, signature)
    return secp256k1.verify(signature, sha256(innerHash), publicKey, { prehash: false, format: 'der', lowS: false })
  } catch {
    return false
  }
}

/** The part of tiny-secp256k1 that is used: a compact signature by RFC 6979, with low S; the point of a private key. */
interface Signer {
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array
  pointFromScalar(privateKey: Uint8Array, compressed: boolean): Uint8Array | null
}

/** libsecp256k1 in WebAssembly takes 0.1 ms where JavaScript takes 0.6; workerd compiles no WebAssembly at run time. */
function loadSigner(): Signer | undefined {
  try {
    const require = createRequire(import.meta.url)
    const loaded: unknown = require('tiny-secp256k1')
    return isSigner(loaded) ? loaded : undefined
  } catch {
    return undefined
  }
}

function isSigner(value: unknown): value is Signer {
  if (typeof value !== 'object' || value === null || !('sign' in value && 'pointFromScalar' in value)) return false
  return typeof value.sign === 'function' && typeof value.pointFromScalar === 'function'
}

const signer = loadSigner()

/** The compressed public key of a private one. JavaScript would draw random bytes for each (blinding), which a seed of the simulation decides. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return signer?.pointFromScalar(privateKey, true) ?? secp256k1.getPublicKey(privateKey, true)
}

/** A DER signature of the same, by RFC 6979: the same bytes every time. */
export function signHash(privateKey: Uint8Array, innerHash: Uint8Array): Uint8Array {
  const hash = sha256(innerHash)
  if (signer) return toDer(signer.sign(hash, privateKey))
  return secp256k1.sign(hash, privateKey, { prehash: false, format: 'der', lowS: true })
}

/** A compact signature in DER: two whole numbers without needless zeros before them, never negative (BIP 66). */
function toDer(compact: Uint8Array): Uint8Array {
  const r = toDerInteger(compact.subarray(0, 32))
  const s = toDerInteger(compact.subarray(32, 64))
  return concatBytes([Uint8Array.of(0x30, r.length + s.length), r, s])
}

function toDerInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0)
  const short = bytes.subarray(start < 0 ? bytes.length - 1 : start)
  const padded = (short[0] ?? 0) > 0x7f ? [0, ...short] : [...short]
  return Uint8Array.of(0x02, padded.length, ...padded)
}

/** Whether `bytes` are a strict DER signature (BIP 66), and with the low S that relay requires (BIP 146). */
export function signatureForm(bytes: Uint8Array): 'low-s' | 'high-s' | 'malformed' {
  try {
    const { s } = secp256k1.Signature.fromBytes(bytes, 'der')
    return s > secp256k1.Point.Fn.ORDER / 2n ? 'high-s' : 'low-s'
  } catch {
    return 'malformed'
  }
}
