import { concatBytes } from '../protocol/bytes.ts'
import { compactSize, encodeTransaction, type Transaction, txidBytes } from '../protocol/transaction.ts'
import { sha256, sha256d } from './hash.ts'

export const SIGHASH_ALL = 1
const SIGHASH_NONE = 2
const SIGHASH_SINGLE = 3
const SIGHASH_ANYONECANPAY = 0x80

/** The output an input spends, as far as its signature covers it. */
export interface SpentOutput {
  value: bigint
  script: Uint8Array
}

function integer(value: number | bigint, bytes: 4 | 8): Uint8Array {
  const result = new Uint8Array(bytes)
  const view = new DataView(result.buffer)
  if (bytes === 4) view.setUint32(0, Number(value), true)
  else view.setBigUint64(0, BigInt(value), true)
  return result
}

function serializeOutput(output: { value: bigint; script: Uint8Array }): Uint8Array {
  return concatBytes([integer(output.value, 8), compactSize(output.script.length), output.script])
}

/**
 * SHA-256 of what a signature of a legacy input signs (Bitcoin Core's SignatureHash for SigVersion::BASE); the
 * signature's message is this hashed once more. `undefined` for SIGHASH_SINGLE without an output to sign.
 */
export function legacySignatureHash(
  transaction: Transaction,
  index: number,
  scriptCode: Uint8Array,
  hashType: number,
): Uint8Array | undefined {
  const base = hashType & 0x1f
  // Bitcoin signs the number one then, a bug that became consensus; no wallet makes such a signature.
  if (base === SIGHASH_SINGLE && index >= transaction.outputs.length) return undefined
  const single = base === SIGHASH_SINGLE || base === SIGHASH_NONE
  const inputs = transaction.inputs.map((input, i) => ({
    ...input,
    script: i === index ? scriptCode : new Uint8Array(0),
    sequence: single && i !== index ? 0 : input.sequence,
    witness: [],
  }))
  const outputs =
    base === SIGHASH_NONE
      ? []
      : base === SIGHASH_SINGLE
        ? transaction.outputs
            .slice(0, index + 1)
            .map((output, i) => (i === index ? output : { value: 0xffffffffffffffffn, script: new Uint8Array(0) }))
        : transaction.outputs
  const signed = inputs.filter((_, i) => !(hashType & SIGHASH_ANYONECANPAY) || i === index)
  const body = encodeTransaction({ ...transaction, inputs: signed, outputs })
  return sha256(concatBytes([body, integer(hashType, 4)]))
}

/** The same for a version 0 witness program (BIP 143). */
export function witnessSignatureHash(
  transaction: Transaction,
  index: number,
  scriptCode: Uint8Array,
  value: bigint,
  hashType: number,
): Uint8Array {
  const base = hashType & 0x1f
  const anyone = (hashType & SIGHASH_ANYONECANPAY) !== 0
  const zero = new Uint8Array(32)
  const { inputs, outputs } = transaction
  const input = inputs[index]
  const output = outputs[index]
  if (!input) throw new RangeError(`no input ${index}`)
  const outpoint = (from: { txid: string; vout: number }) => concatBytes([txidBytes(from.txid), integer(from.vout, 4)])
  const hashPrevouts = anyone ? zero : sha256d(concatBytes(inputs.map(outpoint)))
  const hashSequence =
    anyone || base === SIGHASH_SINGLE || base === SIGHASH_NONE
      ? zero
      : sha256d(concatBytes(inputs.map(({ sequence }) => integer(sequence, 4))))
  const hashOutputs =
    base === SIGHASH_SINGLE
      ? output
        ? sha256d(serializeOutput(output))
        : zero
      : base === SIGHASH_NONE
        ? zero
        : sha256d(concatBytes(outputs.map(serializeOutput)))
  return sha256(
    concatBytes([
      integer(transaction.version, 4),
      hashPrevouts,
      hashSequence,
      outpoint(input),
      compactSize(scriptCode.length),
      scriptCode,
      integer(value, 8),
      integer(input.sequence, 4),
      hashOutputs,
      integer(transaction.lockTime, 4),
      integer(hashType, 4),
    ]),
  )
}
