import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, fromHex, toHex } from './bytes.ts'

/** An input; `txid` in the usual byte-reversed hex. */
interface TransactionInput {
  txid: string
  vout: number
  script: Uint8Array
  sequence: number
  witness: Uint8Array[]
}

/** An output; `value` in base units. */
export interface TransactionOutput {
  value: bigint
  script: Uint8Array
}

/** A transaction as consensus serializes it (BIP 144). */
export interface Transaction {
  version: number
  inputs: TransactionInput[]
  outputs: TransactionOutput[]
  lockTime: number
}

/** The only error that reading a transaction throws, no matter what the bytes are. */
export class TransactionError extends Error {
  override name = 'TransactionError'
  readonly code = 'malformed_transaction'
}

/** The positions of the parts of a serialized transaction; `outputs` is filled only with the caller's visitor. */
interface Layout {
  /** Offset behind the transaction. */
  end: number
  /** It has a flag byte, and so a witness or more. */
  isExtended: boolean
  /** The bytes from the input count to the last output, the same with and without a flag byte. */
  bodyStart: number
  bodyEnd: number
}

class Reader {
  readonly bytes: Uint8Array
  readonly view: DataView
  offset: number

  constructor(bytes: Uint8Array, offset: number) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.offset = offset
  }

  take(length: number): number {
    const start = this.offset
    if (length > this.bytes.length - start) {
      throw new TransactionError(`transaction ends early: ${length} bytes expected at offset ${start}`)
    }
    this.offset = start + length
    return start
  }

  uint8(): number {
    return this.view.getUint8(this.take(1))
  }

  uint32(): number {
    return this.view.getUint32(this.take(4), true)
  }

  /** CompactSize; a longer form than needed is refused, as Bitcoin Core's ReadCompactSize does. */
  compactSize(): number {
    const first = this.uint8()
    if (first < 0xfd) return first
    if (first === 0xfd) return this.canonical(this.view.getUint16(this.take(2), true), 0xfd)
    if (first === 0xfe) return this.canonical(this.uint32(), 0x10000)
    const value = this.view.getBigUint64(this.take(8), true)
    // Nothing this long fits the available bytes: the next take() throws.
    return this.canonical(value > 0x02000000n ? Number.MAX_SAFE_INTEGER : Number(value), 0x02000001)
  }

  private canonical(value: number, least: number): number {
    if (value < least) throw new TransactionError('transaction holds a non-canonical CompactSize')
    return value
  }

  slice(length: number): Uint8Array {
    const start = this.take(length)
    return this.bytes.subarray(start, start + length)
  }
}

interface Visitor {
  input?(reader: Reader): void
  output(value: bigint, script: Uint8Array): void
  witness?(index: number, stack: Uint8Array[]): void
}

function skipInput(reader: Reader): void {
  reader.take(36)
  reader.take(reader.compactSize())
  reader.take(4)
}

function scan(reader: Reader, visitor: Visitor): Layout {
  reader.take(4)
  let bodyStart = reader.offset
  let inputs = reader.compactSize()
  let flags = 0
  if (inputs === 0) {
    // BIP 144: a zero count is the marker of a flag byte; flag zero is a transaction with nothing in it.
    flags = reader.uint8()
    if (flags !== 0) {
      bodyStart = reader.offset
      inputs = reader.compactSize()
    }
  }
  const empty = inputs === 0 && flags === 0
  for (let i = 0; i < inputs; i++) {
    if (visitor.input) visitor.input(reader)
    else skipInput(reader)
  }
  const outputs = empty ? 0 : reader.compactSize()
  for (let i = 0; i < outputs; i++) {
    const value = reader.view.getBigUint64(reader.take(8), true)
    visitor.output(value, reader.slice(reader.compactSize()))
  }
  const bodyEnd = reader.offset
  if (flags & 1) {
    let filled = false
    for (let i = 0; i < inputs; i++) {
      const items = reader.compactSize()
      const stack: Uint8Array[] = []
      for (let item = 0; item < items; item++) {
        const witness = reader.slice(reader.compactSize())
        if (visitor.witness) stack.push(witness)
      }
      if (items > 0) filled = true
      visitor.witness?.(i, stack)
    }
    if (!filled) throw new TransactionError('transaction has the witness flag and no witness')
  }
  // Data of other flags is between witness and lock time, and only their own formats say where it ends.
  if (flags & ~1) reader.take(Math.max(0, reader.bytes.length - 4 - reader.offset))
  reader.take(4)
  return { end: reader.offset, isExtended: flags !== 0, bodyStart, bodyEnd }
}

/**
 * The transaction that starts at `offset`, and the offset behind it: a serialized transaction says itself
 * where it ends. Scripts are views of `bytes`. Format: BIP 144. With another flag than that of the witness, such as
 * Litecoin's 8 (MWEB, LIP 2), it ends with `bytes`, and the data of that flag, which no txid covers, is left out.
 * @throws {TransactionError} for anything that is not a whole transaction.
 */
export function readTransaction(bytes: Uint8Array, offset = 0): { transaction: Transaction; end: number } {
  const reader = new Reader(bytes, offset)
  const inputs: TransactionInput[] = []
  const outputs: TransactionOutput[] = []
  const { end } = scan(reader, {
    input(at) {
      const txid = reverseHex(at.slice(32))
      const vout = at.uint32()
      const script = at.slice(at.compactSize())
      inputs.push({ txid, vout, script, sequence: at.uint32(), witness: [] })
    },
    output(value, script) {
      outputs.push({ value, script })
    },
    witness(index, stack) {
      const input = inputs[index]
      if (input) input.witness = stack
    },
  })
  const version = reader.view.getUint32(offset, true)
  return { transaction: { version, inputs, outputs, lockTime: reader.view.getUint32(end - 4, true) }, end }
}

/** `bytes` as exactly one transaction. @throws {TransactionError} also for bytes behind its end. */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const { transaction, end } = readTransaction(bytes)
  if (end !== bytes.length) throw new TransactionError(`${bytes.length - end} bytes follow the transaction`)
  return transaction
}

/** A transaction without its witness and the data of other flags, and what its outputs hold; read in one pass. */
export interface UnhashedTransaction {
  /** The serialization whose double SHA-256, byte-reversed, is the txid. */
  bytes: Uint8Array
  scripts: Uint8Array[]
  end: number
}

/** The transaction at `offset` as its txid is made of it, not hashed yet. See {@link readTransaction}. @throws {TransactionError} */
export function stripTransaction(bytes: Uint8Array, offset = 0): UnhashedTransaction {
  const reader = new Reader(bytes, offset)
  const scripts: Uint8Array[] = []
  const layout = scan(reader, { output: (_, script) => void scripts.push(script) })
  const stripped = layout.isExtended
    ? concatBytes([
        bytes.subarray(offset, offset + 4),
        bytes.subarray(layout.bodyStart, layout.bodyEnd),
        bytes.subarray(layout.end - 4, layout.end),
      ])
    : bytes.subarray(offset, layout.end)
  return { bytes: stripped, scripts, end: layout.end }
}

/** The bytes of a version, no input, no output and a lock time. */
const EMPTY_BYTES = 10

/**
 * Whether all of a raw transaction is the data of its flags, as of Litecoin's that are on its extension block alone (LIP 3): it
 * has no output, so it holds no data, and its txid is not the hash of anything that is read here.
 */
export function isOnlyExtension(raw: Uint8Array, { bytes }: UnhashedTransaction): boolean {
  return bytes.length === EMPTY_BYTES && raw.length > EMPTY_BYTES
}

/** A transaction without its witness, and the txid that it has. */
export interface StrippedTransaction extends UnhashedTransaction {
  txid: string
}

/** The transaction at `offset` as readers verify it: witness gone, hashed, output scripts at hand. @throws {TransactionError} */
export function readStripped(bytes: Uint8Array, offset = 0): StrippedTransaction {
  const stripped = stripTransaction(bytes, offset)
  return { ...stripped, txid: transactionId(stripped.bytes) }
}

/** The txid of a serialization without witness: double SHA-256, byte-reversed, in hex. */
export function transactionId(stripped: Uint8Array): string {
  return reverseHex(sha256(sha256(stripped)))
}

/** A transaction without scriptSigs and witnesses, as it was before it was signed. */
function withoutSignatures(transaction: Transaction): Transaction {
  const inputs = transaction.inputs.map((input) => ({ ...input, script: new Uint8Array(0), witness: [] }))
  return { ...transaction, inputs }
}

/**
 * The txid that a transaction has without scriptSigs and witnesses: the same for all signatures. Without segwit (BIP 141) its txid is
 * another with each.
 */
export function unsignedId(transaction: Transaction): string {
  return transactionId(encodeTransaction(withoutSignatures(transaction)))
}

/** Hex of the bytes from last to first, as txids and block hashes are written. */
export function reverseHex(bytes: Uint8Array): string {
  return toHex(Uint8Array.from(bytes).reverse())
}

/** A txid or block hash back in the order it is hashed and serialized. @throws {TransactionError} */
export function txidBytes(txid: string): Uint8Array<ArrayBuffer> {
  const bytes = fromHex(txid)
  if (bytes?.length !== 32) throw new TransactionError(`a txid is 64 hex digits, not ${JSON.stringify(txid)}`)
  return bytes.reverse()
}

/** A count or length as Bitcoin serializes it. */
export function compactSize(value: number): Uint8Array<ArrayBuffer> {
  if (value < 0xfd) return Uint8Array.of(value)
  const long = value > 0xffff
  const bytes = new Uint8Array(long ? 5 : 3)
  const view = new DataView(bytes.buffer)
  bytes[0] = long ? 0xfe : 0xfd
  if (long) view.setUint32(1, value, true)
  else view.setUint16(1, value, true)
  return bytes
}

function uint32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

function uint64(value: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

/** The serialization of a transaction; the witness is left out with `witness: false` or when there is none. */
export function encodeTransaction(
  transaction: Transaction,
  { witness = true }: { witness?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const withWitness = witness && transaction.inputs.some((input) => input.witness.length > 0)
  const parts: Uint8Array[] = [uint32(transaction.version)]
  if (withWitness) parts.push(Uint8Array.of(0, 1))
  parts.push(compactSize(transaction.inputs.length))
  for (const input of transaction.inputs) {
    parts.push(txidBytes(input.txid), uint32(input.vout), compactSize(input.script.length), input.script)
    parts.push(uint32(input.sequence))
  }
  parts.push(compactSize(transaction.outputs.length))
  for (const output of transaction.outputs) {
    parts.push(uint64(output.value), compactSize(output.script.length), output.script)
  }
  if (withWitness) {
    for (const input of transaction.inputs) {
      parts.push(compactSize(input.witness.length))
      for (const item of input.witness) parts.push(compactSize(item.length), item)
    }
  }
  parts.push(uint32(transaction.lockTime))
  return concatBytes(parts)
}

/** The name of an output: `<txid>:<vout>`. */
export function outpointOf({ txid, vout }: { txid: string; vout: number }): string {
  return `${txid}:${vout}`
}
