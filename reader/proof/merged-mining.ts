import { toHex } from '../../protocol/bytes.ts'
import { encodeTransaction, readTransaction, reverseHex, transactionId, txidBytes } from '../../protocol/transaction.ts'
import { HEADER_BYTES, readHeader } from './block-header.ts'
import { foldBranch, MAX_LEVELS } from './fold-branch.ts'
import { refuse } from './refuse.ts'

/** The bit of a header's version that says that an AuxPoW follows. */
const AUXPOW_VERSION = 0x100
/** The bytes before the root of a tree of chains in a parent's coinbase. */
const MAGIC = 'fabe6d6d'
const MAX_CHAIN_LEVELS = 30
/** Without the magic, the root begins at most at this offset of the script. */
const MAX_ROOT_OFFSET = 20

/** The chain of a header's version: `version >> 16`. */
function chainOf(version: number): number {
  return version >> 16
}

/**
 * The 80 bytes whose hash is the work of a header on a chain with merged mining: its own, or those of the parent's block in the
 * AuxPoW behind it. Rules: Dogecoin Core's `CheckAuxPowProofOfWork` and `CAuxPow::check`; legacy versions without a chain
 * ID are refused. @throws {ReaderError} `not_proven`
 */
export function workedHeader(bytes: Uint8Array, chainId: number): Uint8Array {
  const { version, hash } = readHeader(bytes)
  if (chainOf(version) !== chainId) refuse(`The header is of chain ID ${chainOf(version)}, not ${chainId}.`)
  if ((version & AUXPOW_VERSION) === 0) {
    if (bytes.length !== HEADER_BYTES) refuse('Bytes follow a header that says that there is no AuxPoW.')
    return bytes
  }
  const { coinbase, branch, position, chainBranch, chainPosition, parent } = readAuxPow(bytes.subarray(HEADER_BYTES))
  const { version: parentVersion, merkleRoot } = readHeader(parent)
  if (chainOf(parentVersion) === chainId) refuse('The parent of the AuxPoW is a block of the same chain.')
  if (position !== 0) refuse('The transaction of the AuxPoW is not a coinbase.')
  if (reverseHex(foldBranch(txidBytes(coinbase.txid), 0, branch)) !== merkleRoot) {
    refuse('The coinbase of the AuxPoW is not in its block.')
  }
  const root = reverseHex(foldBranch(txidBytes(hash), chainPosition, chainBranch))
  const nonce = readNonce(coinbase.script, root, chainBranch.length)
  if (chainPosition !== expectedSlot(nonce, chainId, chainBranch.length)) {
    refuse('The block is not at the slot of its chain.')
  }
  return parent
}

/**
 * The nonce behind the root over the blocks of several chains, whose bytes a coinbase's script has as they are displayed, and
 * behind the size of that tree.
 */
function readNonce(script: Uint8Array, root: string, levels: number): number {
  const at = indexOfBytes(script, root)
  const magic = indexOfBytes(script, MAGIC)
  if (at < 0) refuse('The coinbase of the AuxPoW does not name the block.')
  if (magic < 0 && at > MAX_ROOT_OFFSET) refuse('The coinbase of the AuxPoW names the block too late.')
  if (magic >= 0 && (magic + 4 !== at || indexOfBytes(script, MAGIC, magic + 1) >= 0)) {
    refuse('The coinbase of the AuxPoW names several blocks.')
  }
  if (script.length - at - 32 < 8) refuse('The coinbase of the AuxPoW ends early.')
  const view = new DataView(script.buffer, script.byteOffset, script.byteLength)
  if (view.getUint32(at + 32, true) !== 2 ** levels) refuse('The AuxPoW is of a tree of another size.')
  return view.getUint32(at + 36, true)
}

function indexOfBytes(bytes: Uint8Array, hex: string, from = 0): number {
  const all = toHex(bytes)
  let at = all.indexOf(hex, 2 * from)
  while (at % 2 === 1) at = all.indexOf(hex, at + 1)
  return at < 0 ? -1 : at / 2
}

/** The slot of a chain among 2^levels, in arithmetic of 32 bits (`CAuxPow::getExpectedIndex`). */
function expectedSlot(nonce: number, chainId: number, levels: number): number {
  const next = (value: number) => (Math.imul(value, 1103515245) + 12345) >>> 0
  return next((next(nonce) + chainId) >>> 0) % 2 ** levels
}

interface AuxPow {
  coinbase: { txid: string; script: Uint8Array }
  branch: Uint8Array[]
  position: number
  chainBranch: Uint8Array[]
  chainPosition: number
  parent: Uint8Array
}

/** An AuxPoW and nothing behind it. Its field `hashBlock` is read by no rule. */
function readAuxPow(bytes: Uint8Array): AuxPow {
  const { end, ...coinbase } = readCoinbase(bytes)
  let at = end
  const take = (length: number) => {
    if (length > bytes.length - at) refuse('The AuxPoW ends early.')
    at += length
    return bytes.subarray(at - length, at)
  }
  const uint32 = () => take(4).reduceRight((value, byte) => value * 256 + byte, 0)
  const hashes = (most: number) => {
    const [count = 0] = take(1)
    if (count > most) refuse(`A branch of the AuxPoW is longer than ${most}.`)
    return Array.from({ length: count }, () => take(32))
  }
  take(32)
  const branch = hashes(MAX_LEVELS)
  const position = uint32()
  const chainBranch = hashes(MAX_CHAIN_LEVELS)
  const chainPosition = uint32()
  const parent = take(HEADER_BYTES)
  if (at !== bytes.length) refuse('Bytes follow the AuxPoW.')
  return { coinbase, branch, position, chainBranch, chainPosition, parent }
}

/** Of the parent's coinbase, its witness left out. */
function readCoinbase(bytes: Uint8Array): { txid: string; script: Uint8Array; end: number } {
  try {
    const { transaction, end } = readTransaction(bytes)
    const txid = transactionId(encodeTransaction(transaction, { witness: false }))
    return { txid, script: transaction.inputs[0]?.script ?? new Uint8Array(0), end }
  } catch (cause) {
    return refuse('The AuxPoW does not begin with a transaction.', cause)
  }
}
