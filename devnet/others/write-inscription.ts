import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { pushPrefix } from '../../protocol/op-return.ts'
import { compactSize, type Transaction, txidBytes } from '../../protocol/transaction.ts'

/** One push of bytes; an empty one is `OP_0`. */
export function push(data: Uint8Array | string): Uint8Array {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return concatBytes([pushPrefix(bytes.length), bytes])
}

export interface EnvelopeFields {
  type?: string
  encoding?: string
  delegate?: { txid: string; index: number }
  metadata?: Uint8Array
  parents?: readonly { txid: string; index: number }[]
  body?: Uint8Array | string
}

/** `OP_0 OP_IF "ord" … OP_ENDIF`, as ord writes it. */
export function writeEnvelope({ type, encoding, delegate, metadata, parents = [], body }: EnvelopeFields): Uint8Array {
  const field = (tag: number, value: Uint8Array | string | undefined) =>
    value === undefined ? [] : [push(Uint8Array.of(tag)), push(value)]
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const chunks = Array.from({ length: Math.ceil((bytes?.length ?? 0) / 520) }, (_, index) =>
    push(bytes?.subarray(520 * index, 520 * index + 520) ?? new Uint8Array(0)),
  )
  return concatBytes([
    Uint8Array.of(0x00, 0x63),
    push('ord'),
    ...field(1, type),
    ...field(9, encoding),
    ...field(11, delegate && writeId(delegate)),
    ...parents.flatMap((parent) => field(3, writeId(parent))),
    ...field(5, metadata),
    ...(bytes === undefined ? [] : [Uint8Array.of(0x00), ...chunks]),
    Uint8Array.of(0x68),
  ])
}

function writeId({ txid, index }: { txid: string; index: number }): Uint8Array {
  const bytes = [index & 255, (index >> 8) & 255, (index >> 16) & 255, index >>> 24]
  while (bytes.at(-1) === 0) bytes.pop()
  return concatBytes([txidBytes(txid), Uint8Array.from(bytes)])
}

/** A taproot output whose one script this is (BIP 341), and the control block that reveals it. */
export function commitTo(script: Uint8Array): { output: Uint8Array; controlBlock: Uint8Array } {
  const key = schnorr.getPublicKey(sha256(new TextEncoder().encode('a key of nobody')))
  const leaf = schnorr.utils.taggedHash('TapLeaf', Uint8Array.of(0xc0), compactSize(script.length), script)
  const tweak = schnorr.utils.taggedHash('TapTweak', key, leaf)
  const even = secp256k1.Point.fromHex(`02${toHex(key)}`)
  const point = even.add(secp256k1.Point.BASE.multiply(BigInt(`0x${toHex(tweak)}`)))
  const [prefix = 0, ...x] = point.toBytes(true)
  return {
    output: Uint8Array.from([0x51, 32, ...x]),
    controlBlock: concatBytes([Uint8Array.of(0xc0 | (prefix & 1)), key]),
  }
}

/** An input of `txid:vout`, with a scriptSig or a witness. */
export function input(
  spent: { txid: string; vout: number },
  { script = new Uint8Array(0), witness = [] }: { script?: Uint8Array; witness?: Uint8Array[] } = {},
): Transaction['inputs'][number] {
  return { ...spent, script, sequence: 0xffffffff, witness }
}

/** A transaction of version 2 that is mined whenever. */
export function transactionOf(
  inputs: Transaction['inputs'],
  scripts: readonly Uint8Array[] = [Uint8Array.of(0x51)],
): Transaction {
  return { version: 2, inputs, outputs: scripts.map((script) => ({ value: 1000n, script })), lockTime: 0 }
}

/** The scriptSigs of a doginal's transactions, each of some parts; without the signature that a real one ends with. */
export function writeDoginal(
  type: string,
  body: Uint8Array,
  { partBytes, partsEach }: { partBytes: number; partsEach: number },
): Uint8Array[] {
  const parts = Array.from({ length: Math.max(1, Math.ceil(body.length / partBytes)) }, (_, index) =>
    body.subarray(index * partBytes, (index + 1) * partBytes),
  )
  return Array.from({ length: Math.ceil(parts.length / partsEach) }, (_, index) => {
    const begins = index === 0 ? [push('ord'), pushNumber(parts.length), push(type)] : []
    const first = index * partsEach
    const numbered = parts
      .slice(first, first + partsEach)
      .flatMap((part, at) => [pushNumber(parts.length - 1 - first - at), push(part)])
    return concatBytes([...begins, ...numbered])
  })
}

function pushNumber(value: number): Uint8Array {
  if (value <= 16) return Uint8Array.of(value === 0 ? 0 : 0x50 + value)
  return push(value > 255 ? Uint8Array.of(value & 255, value >> 8) : Uint8Array.of(value))
}
