import { scrypt } from '@noble/hashes/scrypt.js'
import type { Blockchain } from '../../protocol/chains.ts'
import type { Work } from './check-headers.ts'
import { sha256d } from './fold-branch.ts'

/** Dogecoin's chain ID (`nAuxpowChainId`). */
const DOGECOIN_CHAIN_ID = 98

/** scrypt of a header with itself as the salt, as Litecoin and Dogecoin hash for their work: N 1,024, r 1, p 1. */
export function scryptHash(header: Uint8Array): Uint8Array {
  return scrypt(header, header, { N: 1024, r: 1, p: 1, dkLen: 32 })
}

/**
 * The proof of work of a chain. Nativecoin has none that says which chain it is: headers of any chain of Bitcoin Core's code
 * would satisfy it, so its blocks are in the pinned chain or unproven.
 */
export function workOf(blockchain: Blockchain): Work | undefined {
  if (blockchain === 'Bitcoin') return { hash: sha256d }
  return blockchain === 'Dogecoin' ? { hash: scryptHash, chainId: DOGECOIN_CHAIN_ID } : undefined
}
