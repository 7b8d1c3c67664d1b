import { toHex } from '../protocol/bytes.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { classifyScript, isPushOnly, payToPubKeyHash } from './address.ts'
import { hash160 } from './hash.ts'
import { legacySignatureHash, type SpentOutput, witnessSignatureHash } from './signature-hash.ts'
import { signatureForm, verifySignature } from './signatures.ts'

/** Valid signatures, as in Bitcoin Core's signature cache: signing and relaying verify only once. */
const known = new Set<string>()
const MAX_KNOWN = 50_000
const BAD_SIGNATURE = 'Signature must be zero for failed CHECK(MULTI)SIG operation'

function cacheKey(publicKey: Uint8Array, signature: Uint8Array, innerHash: Uint8Array): string {
  return `${toHex(innerHash)}${toHex(publicKey)}${toHex(signature)}`
}

/** Caches a signature that was made here, so that it need not be verified. */
export function rememberSignature(publicKey: Uint8Array, signature: Uint8Array, innerHash: Uint8Array): void {
  if (known.size >= MAX_KNOWN) known.clear()
  known.add(cacheKey(publicKey, signature, innerHash))
}

/** The items a push-only script leaves on the stack; `undefined` for anything but plain pushes. */
function readPushes(script: Uint8Array): Uint8Array[] | undefined {
  if (!isPushOnly(script)) return undefined
  const items: Uint8Array[] = []
  let offset = 0
  while (offset < script.length) {
    const opcode = script[offset++] ?? 0
    if (opcode > 0x4d) return undefined
    let length = opcode
    if (opcode > 0x4b) {
      length = script[offset++] ?? 0
      if (opcode === 0x4d) length += 256 * (script[offset++] ?? 0)
    }
    items.push(script.subarray(offset, offset + length))
    offset += length
  }
  return items
}

/**
 * Whether input `index` may spend `spent`: `undefined` if it may, otherwise the reason in Bitcoin Core's words. This
 * node checks P2PKH and P2WPKH, the kinds of its wallets, and refuses all others.
 */
export function checkInput(transaction: Transaction, index: number, spent: SpentOutput): string | undefined {
  const input = transaction.inputs[index]
  if (!input) return 'Unknown error'
  const { type, program } = classifyScript(spent.script)
  if (type === 'pubkeyhash' && program) {
    if (input.witness.length > 0) return 'Witness provided for non-witness script'
    const pushes = readPushes(input.script)
    const [signature, publicKey] = pushes ?? []
    if (pushes?.length !== 2 || !signature || !publicKey) return 'Operation not valid with the current stack size'
    return checkSignature(signature, publicKey, program, (hashType) =>
      legacySignatureHash(transaction, index, spent.script, hashType),
    )
  }
  if (type === 'witness_v0_keyhash' && program) {
    if (input.script.length > 0) return 'Witness requires empty scriptSig'
    const [signature, publicKey] = input.witness
    if (input.witness.length !== 2 || !signature || !publicKey) return 'Witness program hash mismatch'
    if (publicKey.length !== 33) return 'Using non-compressed keys in segwit'
    return checkSignature(signature, publicKey, program, (hashType) =>
      witnessSignatureHash(transaction, index, payToPubKeyHash(program), spent.value, hashType),
    )
  }
  return 'This embedded node verifies P2PKH and P2WPKH inputs only'
}

function checkSignature(
  signature: Uint8Array,
  publicKey: Uint8Array,
  program: Uint8Array,
  hashFor: (hashType: number) => Uint8Array | undefined,
): string | undefined {
  if (toHex(hash160(publicKey)) !== toHex(program)) return 'Script failed an OP_EQUALVERIFY operation'
  const hashType = signature.at(-1)
  const der = signature.subarray(0, -1)
  if (hashType === undefined) return 'Script evaluated without error but finished with a false/empty top stack element'
  const base = hashType & ~0x80
  if (base < 1 || base > 3) return 'Signature hash type missing or not understood'
  const innerHash = hashFor(hashType)
  if (!innerHash) return BAD_SIGNATURE
  const key = cacheKey(publicKey, der, innerHash)
  if (known.has(key)) return undefined
  const form = signatureForm(der)
  if (form === 'malformed') return 'Non-canonical DER signature'
  if (form === 'high-s') return 'Non-canonical signature: S value is unnecessarily high'
  if (!verifySignature(publicKey, der, innerHash)) return BAD_SIGNATURE
  rememberSignature(publicKey, der, innerHash)
  return undefined
}
