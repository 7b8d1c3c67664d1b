import { readTransaction, type Transaction, TransactionError } from './transaction.ts'

const HEADER_BYTES = 80
/** The bit of a header's version that says that an AuxPoW follows (Dogecoin Core's `CPureBlockHeader::IsAuxpow`). */
const AUXPOW_VERSION = 0x100
/** The most hashes beside a path to a merkle root. */
const MAX_LEVELS = 32

/**
 * The transactions of a serialized block of Dogecoin, in chain order, each read when it is asked for. The header and the AuxPoW of a
 * merge-mined block are passed over, neither checked.
 * @throws {TransactionError} for bytes that are no whole block
 */
export function* readBlock(bytes: Uint8Array): Generator<Transaction> {
  if (bytes.length < HEADER_BYTES) throw ended()
  const isMergeMined = (readUint32(bytes, 0) & AUXPOW_VERSION) !== 0
  let { value: count, end: at } = readCount(bytes, isMergeMined ? skipAuxPow(bytes, HEADER_BYTES) : HEADER_BYTES)
  for (; count > 0; count--) {
    const { transaction, end } = readTransaction(bytes, at)
    at = end
    yield transaction
  }
  if (at !== bytes.length) throw new TransactionError(`${bytes.length - at} bytes follow the block`)
}

/** Behind the parent's coinbase, its block's hash, two branches with their positions, and the parent's header (`CAuxPow`). */
function skipAuxPow(bytes: Uint8Array, start: number): number {
  let at = readTransaction(bytes, start).end + 32
  for (let branch = 0; branch < 2; branch++) {
    const { value: levels, end } = readCount(bytes, at)
    if (levels > MAX_LEVELS) throw new TransactionError(`a branch of the AuxPoW is longer than ${MAX_LEVELS}`)
    at = end + 32 * levels + 4
  }
  return at + HEADER_BYTES
}

/** A CompactSize of at most five bytes. */
function readCount(bytes: Uint8Array, at: number): { value: number; end: number } {
  const first = bytes[at]
  if (first === undefined || first === 0xff) throw ended()
  if (first < 0xfd) return { value: first, end: at + 1 }
  const end = at + (first === 0xfd ? 3 : 5)
  if (end > bytes.length) throw ended()
  const [low = 0, high = 0] = [bytes[at + 1], bytes[at + 2]]
  return { value: first === 0xfd ? low + 256 * high : readUint32(bytes, at + 1), end }
}

function readUint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true)
}

function ended(): TransactionError {
  return new TransactionError('block ends early')
}
