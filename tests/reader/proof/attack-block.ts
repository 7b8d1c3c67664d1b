import { toHex } from '../../../protocol/bytes.ts'
import { encodeTransaction, reverseHex, transactionId } from '../../../protocol/transaction.ts'
import type { HeaderRules } from '../../../reader/proof/check-headers.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'
import { type AuxPowOptions, MAGIC, makeHeader, slotOf, withAuxPow } from './make-header.ts'
import { type BlockJson, SHA256D } from './real-blocks.ts'

const TIME = 1_700_000_000
const NONCE = 7
const hashOf = (at: number) => sha256d(Uint8Array.of(at & 255, (at >> 8) & 255, (at >> 16) & 255))

const TRANSACTION = encodeTransaction({
  version: 1,
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0, witness: [] }],
  outputs: [{ value: 1n, script: Uint8Array.of(0x51, 0x51) }],
  lockTime: 0,
})
const TXID = transactionId(TRANSACTION)

/** What a merge-miner may try, with the work for it done; `at` and `bit` vary it. */
const ATTACKS: Record<string, (at: number, bit: number) => AuxPowOptions> = {
  'second magic': (at) => ({
    script: (root, after) => [MAGIC, root, after, hashOf(at).subarray(0, at % 33), MAGIC],
  }),
  'magic elsewhere': (at) => ({ script: (root, after) => [MAGIC, new Uint8Array(1 + (at % 40)), root, after] }),
  'foreign coinbase': (at) => ({ script: (_, after) => [MAGIC, hashOf(at), after] }),
  'late root': (at) => ({ script: (root, after) => [new Uint8Array(21 + (at % 40)), root, after] }),
  'short end': (_, bit) => ({ script: (root, after) => [MAGIC, root, after.subarray(0, bit)] }),
  'parent of our chain': (at, bit) => ({ parentVersion: (98 << 16) | (at & 0xff) | (bit << 8) }),
  'other root': (at) => ({ parentRoot: hashOf(at) }),
  'other transaction': (at) => ({ branch: [hashOf(at), hashOf(at + 1)], position: 1 + (at % 3) }),
  size: (at) => ({ size: (1 ^ (1 << (at % 31))) >>> 0 }),
  slot: (at, bit) => {
    const chainBranch = Array.from({ length: 1 + (bit % 5) }, (_, level) => hashOf(at + level))
    const { length } = chainBranch
    return { nonce: NONCE, chainBranch, slot: slotOf(NONCE, 98, length) ^ (1 << (at % length)) }
  },
  'many chains': (at, bit) => ({ chainBranch: Array.from({ length: 31 + bit }, () => hashOf(at)), slot: 0 }),
}

export const ATTACK_KINDS = Object.keys(ATTACKS)

/** A merge-mined block of the easiest work, with nothing wrong where there is no such kind of attack. */
export function attackBlock(kind: string, at: number, bit: number) {
  const header = makeHeader({ version: 0x00620104, merkleRoot: sha256d(TRANSACTION), time: TIME })
  const block: BlockJson = {
    height: 256,
    hash: reverseHex(sha256d(header)),
    header: toHex(withAuxPow(header, ATTACKS[kind]?.(at, bit))),
    transactions: [{ txid: TXID, position: 0, branch: [] }],
    following: [],
  }
  const checkpoint = { height: 255, root: '00'.repeat(32), bits: 0x207fffff, time: TIME }
  const rules: HeaderRules = { work: { ...SHA256D, chainId: 98 }, checkpoint, now: TIME }
  return { block, raw: { [TXID]: toHex(TRANSACTION) }, rules }
}
