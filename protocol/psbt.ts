import { concatBytes, fromHex, toHex } from './bytes.ts'
import { compactSize, decodeTransaction, encodeTransaction, type Transaction, TransactionError } from './transaction.ts'

/** Values by their keys, both as BIP 174 has them: key type and key data in hex. */
export type PsbtMap = Map<string, Uint8Array>

/** A partially signed transaction, version 0 (BIP 174). */
export interface Psbt {
  /** Without signatures. */
  transaction: Transaction
  /** Fields other than the transaction. */
  global: PsbtMap
  inputs: PsbtMap[]
  outputs: PsbtMap[]
}

/** Bytes that are no PSBT of version 0. */
export class PsbtError extends Error {
  override name = 'PsbtError'
}

const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)
/** PSBT_GLOBAL_UNSIGNED_TX. */
const UNSIGNED = '00'

/** Reads a PSBT. @throws {PsbtError} */
export function readPsbt(bytes: Uint8Array): Psbt {
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw new PsbtError('a PSBT begins with other bytes')
  let at = MAGIC.length
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new PsbtError('the PSBT is cut off')
    at += length
    return bytes.subarray(at - length, at)
  }
  const size = (): number => {
    const [first = 0] = take(1)
    if (first < 0xfd) return first
    const length = first === 0xfd ? 2 : 4
    if (first === 0xff) throw new PsbtError('a field of the PSBT is too long')
    return take(length).reduceRight((sum, byte) => sum * 256 + byte, 0)
  }
  const map = (): PsbtMap => {
    const fields: PsbtMap = new Map()
    for (let length = size(); length > 0; length = size()) {
      const key = toHex(take(length))
      if (fields.has(key)) throw new PsbtError('a field of the PSBT is there twice')
      fields.set(key, take(size()))
    }
    return fields
  }
  const global = map()
  const transaction = readUnsigned(global.get(UNSIGNED))
  global.delete(UNSIGNED)
  const [inputs, outputs] = [transaction.inputs.map(map), transaction.outputs.map(map)]
  if (at !== bytes.length) throw new PsbtError('more bytes follow the PSBT')
  return { transaction, global, inputs, outputs }
}

function readUnsigned(bytes: Uint8Array | undefined): Transaction {
  if (!bytes) throw new PsbtError('the PSBT has no transaction')
  try {
    const transaction = decodeTransaction(bytes)
    const isSigned = transaction.inputs.some(({ script, witness }) => script.length > 0 || witness.length > 0)
    if (!isSigned) return transaction
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
  }
  throw new PsbtError('the transaction of the PSBT is none, or is signed')
}

/** The bytes of a PSBT. */
export function writePsbt({ transaction, global, inputs, outputs }: Psbt): Uint8Array {
  const all: PsbtMap = new Map([[UNSIGNED, encodeTransaction(transaction, { witness: false })], ...global])
  return concatBytes([MAGIC, ...[all, ...inputs, ...outputs].map(writeMap)])
}

function writeMap(fields: PsbtMap): Uint8Array {
  const parts = [...fields].flatMap(([key, value]) => {
    const bytes = fromHex(key) ?? new Uint8Array(0)
    return [compactSize(bytes.length), bytes, compactSize(value.length), value]
  })
  return concatBytes([...parts, Uint8Array.of(0)])
}
