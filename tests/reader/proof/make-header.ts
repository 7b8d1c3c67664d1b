import { concatBytes } from '../../../protocol/bytes.ts'
import { encodeTransaction, transactionId, txidBytes } from '../../../protocol/transaction.ts'
import { foldBranch, sha256d } from '../../../reader/proof/fold-branch.ts'

/** A target that half of all hashes are under, as on regtest. */
const EASY_BITS = 0x207fffff

interface HeaderFields {
  version?: number
  previous?: Uint8Array
  merkleRoot?: Uint8Array
  time?: number
  bits?: number
}

/** A header of 80 bytes whose hash, by `hash`, is below half of all; hashes in the order in which they are computed. */
export function makeHeader(fields: HeaderFields, hash = sha256d): Uint8Array {
  const { version = 0x20000000, previous, merkleRoot, time = 1_700_000_000, bits = EASY_BITS } = fields
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, version, true)
  if (previous) bytes.set(previous, 4)
  if (merkleRoot) bytes.set(merkleRoot, 36)
  view.setUint32(68, time, true)
  view.setUint32(72, bits, true)
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true)
    if ((hash(bytes)[31] ?? 0xff) < 0x80) return bytes
  }
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

export const MAGIC = Uint8Array.of(0xfa, 0xbe, 0x6d, 0x6d)

/** What may be wrong about an AuxPoW; each has its right value where it is left out. */
export interface AuxPowOptions {
  chainId?: number
  nonce?: number
  /** The hashes beside the block's slot. */
  chainBranch?: Uint8Array[]
  slot?: number
  size?: number
  /** The script of the parent's coinbase, from the root over the chains as it is displayed and the bytes behind it. */
  script?(root: Uint8Array, after: Uint8Array): Uint8Array[]
  /** The hashes beside the coinbase in the parent's block, and its position. */
  branch?: Uint8Array[]
  position?: number
  parentRoot?: Uint8Array
  parentVersion?: number
  parentBits?: number
}

/** The slot of a chain, as Dogecoin Core computes it. */
export function slotOf(nonce: number, chainId: number, levels: number): number {
  const mask = 0xffffffffn
  let value = (BigInt(nonce) * 1103515245n + 12345n) & mask
  value = ((value + BigInt(chainId)) * 1103515245n + 12345n) & mask
  return Number(value % (1n << BigInt(levels)))
}

/** `header` with an AuxPoW behind it, worked by double SHA-256. */
export function withAuxPow(header: Uint8Array, options: AuxPowOptions = {}): Uint8Array {
  const { chainId = 98, nonce = 7, chainBranch = [], branch = [], position = 0 } = options
  const { slot = slotOf(nonce, chainId, chainBranch.length), size = 2 ** chainBranch.length } = options
  const { script = (root, after) => [MAGIC, root, after] } = options
  const root = foldBranch(sha256d(header), slot, chainBranch).toReversed()
  const coinbase = encodeTransaction({
    version: 1,
    inputs: [
      {
        txid: '00'.repeat(32),
        vout: 0xffffffff,
        script: concatBytes(script(root, concatBytes([uint32(size), uint32(nonce)]))),
        sequence: 0,
        witness: [],
      },
    ],
    outputs: [{ value: 1n, script: Uint8Array.of(0x51) }],
    lockTime: 0,
  })
  const leaf = txidBytes(transactionId(coinbase))
  const { parentRoot = foldBranch(leaf, position, branch), parentVersion: version, parentBits: bits } = options
  const parent = makeHeader({ merkleRoot: parentRoot, ...(version && { version }), ...(bits && { bits }) })
  const list = (hashes: readonly Uint8Array[]) => concatBytes([Uint8Array.of(hashes.length), ...hashes])
  const end = [list(branch), uint32(position), list(chainBranch), uint32(slot), parent]
  return concatBytes([header, coinbase, new Uint8Array(32), ...end])
}
