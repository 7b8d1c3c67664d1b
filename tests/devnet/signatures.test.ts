import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256 } from '../../devnet/hash.ts'
import { signatureForm, signHash, verifySignature } from '../../devnet/signatures.ts'

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

it('signs with the same bytes as another implementation of RFC 6979, and verifies them', () => {
  const property = fc.property(bytes32.filter(secp256k1.utils.isValidSecretKey), bytes32, (key, hash) => {
    const signature = signHash(key, hash)
    expect(signature).toEqual(secp256k1.sign(sha256(hash), key, { prehash: false, format: 'der', lowS: true }))
    expect(signatureForm(signature)).toBe('low-s')
    expect(verifySignature(secp256k1.getPublicKey(key, true), signature, hash)).toBe(true)
  })
  fc.assert(property, { numRuns: 50 })
})
