import { RawTx } from '@scure/btc-signer/script.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { readOpReturn } from '../../protocol/op-return.ts'
import {
  compactSize,
  decodeTransaction,
  encodeTransaction,
  isOnlyExtension,
  readStripped,
  readTransaction,
  reverseHex,
  type Transaction,
  TransactionError,
  transactionId,
  txidBytes,
} from '../../protocol/transaction.ts'
import { MWEB_ONLY, withFlag } from '../kit/with-flag.ts'
import fixture from './fixtures/bitcoin-op-return.json' with { type: 'json' }
import hogEx from './fixtures/litecoin-hogex.json' with { type: 'json' }

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array(0)
const plain = (array: Uint8Array): Uint8Array => new Uint8Array(array)
const script = (maxLength: number) => fc.uint8Array({ maxLength }).map(plain)
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex)

const input = fc.record({
  txid: hash,
  vout: uint32,
  script: script(300),
  sequence: uint32,
  witness: fc.array(script(300), { maxLength: 3 }),
})
const output = fc.record({ value: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }), script: script(300) })
const transactions: fc.Arbitrary<Transaction> = fc.record({
  version: fc.integer({ min: 0, max: 0x7fffffff }),
  inputs: fc.array(input, { minLength: 1, maxLength: 5 }),
  outputs: fc.array(output, { maxLength: 5 }),
  lockTime: uint32,
})

/** The same transaction as @scure/btc-signer has it. */
function encodeElsewhere({ version, inputs, outputs, lockTime }: Transaction): Uint8Array {
  const segwitFlag = inputs.some(({ witness }) => witness.length > 0)
  return RawTx.encode({
    version,
    segwitFlag,
    inputs: inputs.map(({ txid, vout, script: finalScriptSig, sequence }) => ({
      txid: bytes(txid),
      index: vout,
      finalScriptSig,
      sequence,
    })),
    outputs: outputs.map(({ value: amount, script: to }) => ({ amount, script: to })),
    witnesses: segwitFlag ? inputs.map(({ witness }) => witness) : undefined,
    lockTime,
  })
}

describe('the real transactions of Bitcoin block 426884', () => {
  it('are nineteen', () => expect(fixture.transactions).toHaveLength(19))

  it.each(fixture.transactions)('$txid parses as stated', ({ txid, raw, opReturnScripts }) => {
    const stripped = readStripped(bytes(raw))
    expect(stripped.txid).toBe(txid)
    expect(stripped.end).toBe(raw.length / 2)
    const decoded = decodeTransaction(bytes(raw))
    const scripts = decoded.outputs.map((one) => one.script).filter((one) => one[0] === 0x6a)
    expect(scripts.map(toHex)).toEqual(opReturnScripts)
    expect(stripped.scripts.map(toHex)).toEqual(decoded.outputs.map((one) => toHex(one.script)))
    expect(toHex(encodeTransaction(decoded))).toBe(raw)
    for (const one of scripts) expect(() => readOpReturn(one)).not.toThrow()
  })
})

describe('a transaction with another flag than that of the witness', () => {
  it('has its txid, as a real HogEx transaction of Litecoin', () => {
    const raw = bytes(hogEx.raw)
    const stripped = readStripped(raw)
    expect(stripped.txid).toBe(hogEx.txid)
    expect(stripped.end).toBe(raw.length)
    expect(decodeTransaction(raw).outputs.map(({ value }) => value)).toEqual([458_330_830_086n, 9_997_490n])
    expect(isOnlyExtension(raw, stripped)).toBe(false)
  })

  it('has the txid, inputs and outputs that it has without the flag and its data', () => {
    const flag = fc.integer({ min: 1, max: 127 }).map((bits) => 2 * bits)
    fc.assert(
      fc.property(transactions, flag, script(100), script(50), (transaction, bits, data, before) => {
        const bare = { ...transaction, inputs: transaction.inputs.map((one) => ({ ...one, witness: [] })) }
        const hex = toHex(encodeTransaction(bare))
        const raw = bytes(withFlag(hex, bits, data))
        const stripped = readStripped(concatBytes([before, raw]), before.length)
        expect(toHex(stripped.bytes)).toBe(hex)
        expect(stripped.end).toBe(before.length + raw.length)
        expect(decodeTransaction(raw)).toEqual(bare)
      }),
      { numRuns: 1_000 },
    )
  })

  it('may have a witness too', () => {
    const witness = [Uint8Array.of(1, 2)]
    const input = { txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 1, witness }
    const transaction: Transaction = { version: 2, inputs: [input], outputs: [], lockTime: 7 }
    const raw = encodeTransaction(transaction)
    const parts = [raw.subarray(0, 5), Uint8Array.of(9), raw.subarray(6, -4), bytes('015a'), raw.subarray(-4)]
    const flagged = concatBytes(parts)
    expect(readStripped(flagged).txid).toBe(readStripped(raw).txid)
    expect(decodeTransaction(flagged)).toEqual(transaction)
  })

  it('is known to be nothing else where it has neither inputs nor outputs', () => {
    const raw = bytes(MWEB_ONLY)
    expect(isOnlyExtension(raw, readStripped(raw))).toBe(true)
    const empty = bytes('00'.repeat(10))
    expect(isOnlyExtension(empty, readStripped(empty))).toBe(false)
  })

  it('is refused where it ends in front of its lock time', () => {
    expect(() => decodeTransaction(bytes('02000000000800000000'))).toThrow(TransactionError)
  })
})

describe('a transaction', () => {
  it('is encoded as @scure/btc-signer encodes it, and decoded to itself', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        const encoded = encodeTransaction(transaction)
        expect(toHex(encoded)).toBe(toHex(encodeElsewhere(transaction)))
        expect(decodeTransaction(encoded)).toEqual(transaction)
      }),
      { numRuns: 1_000 },
    )
  })

  it('has the same txid with and without its witness, at any position among others', () => {
    fc.assert(
      fc.property(fc.array(transactions, { minLength: 1, maxLength: 4 }), script(50), (several, before) => {
        const encoded = several.map((transaction) => encodeTransaction(transaction))
        const all = concatBytes([before, ...encoded])
        let offset = before.length
        for (const transaction of several) {
          const bare = encodeTransaction(transaction, { witness: false })
          const stripped = readStripped(all, offset)
          expect(toHex(stripped.bytes)).toBe(toHex(bare))
          expect(stripped.txid).toBe(transactionId(bare))
          expect(readTransaction(all, offset).end).toBe(stripped.end)
          offset = stripped.end
        }
        expect(offset).toBe(all.length)
      }),
      { numRuns: 300 },
    )
  })

  it('may hold 102,480 bytes of data, and lengths of every size', () => {
    for (const length of [0, 252, 253, 65_535, 65_536, 102_486]) {
      const transaction: Transaction = {
        version: 2,
        inputs: [{ txid: 'ab'.repeat(32), vout: 1, script: new Uint8Array(0), sequence: 0xffffffff, witness: [] }],
        outputs: [{ value: 0n, script: new Uint8Array(length).fill(7) }],
        lockTime: 0,
      }
      const encoded = encodeTransaction(transaction)
      expect(toHex(encoded)).toBe(toHex(encodeElsewhere(transaction)))
      expect(decodeTransaction(encoded)).toEqual(transaction)
    }
  })

  it.each([
    ['nothing', ''],
    ['a length in more bytes than it needs', '01000000fd0100'],
    ['the witness flag and no witness', `01000000000101${'00'.repeat(36)}00ffffffff000000000000`],
    ['a flag nobody knows', '0100000000020100'],
    ['more inputs than bytes', '01000000feffffffff'],
    ['2^63 outputs', `0100000001${'00'.repeat(36)}00ffffffffff0000000000000080`],
    ['a byte behind its end', `0100000001${'00'.repeat(36)}00ffffffff000000000000`],
  ])('is refused when it is or has %s', (_, hex) => {
    expect(() => decodeTransaction(bytes(hex))).toThrow(TransactionError)
  })

  it('says where it ends early', () => {
    expect(() => readStripped(bytes('0100000001ab'))).toThrow('transaction ends early: 36 bytes expected at offset 5')
  })

  it('has txids of 64 hex digits', () => {
    expect(toHex(txidBytes(`${'00'.repeat(31)}ff`))).toBe(`ff${'00'.repeat(31)}`)
    for (const wrong of ['', 'ab', 'zz'.repeat(32), '0'.repeat(63)])
      expect(() => txidBytes(wrong)).toThrow(TransactionError)
    fc.assert(fc.property(hash, (txid) => reverseHex(txidBytes(txid)) === txid))
  })

  it('has counts that are written as short as they can be', () => {
    const sizes: [number, string][] = [
      [0, '00'],
      [252, 'fc'],
      [253, 'fdfd00'],
      [65_535, 'fdffff'],
      [65_536, 'fe00000100'],
    ]
    for (const [value, hex] of sizes) expect(toHex(compactSize(value))).toBe(hex)
  })
})

/** Both readers, which may only succeed or throw the parser's own error. */
function readAnyhow(given: Uint8Array): void {
  for (const read of [readStripped, readTransaction]) {
    try {
      const { end } = read(given)
      expect(end).toBeLessThanOrEqual(given.length)
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error
    }
  }
}

describe('for any bytes only a TransactionError is thrown', () => {
  const real = fixture.transactions.map(({ raw }) => bytes(raw))
  const which = fc.nat({ max: real.length - 1 })
  const pick = (index: number): Uint8Array => real[index] ?? new Uint8Array(0)

  it('in 30,000 random texts', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), readAnyhow), { numRuns: 30_000 })
  })

  it('in 30,000 real transactions cut short', () => {
    fc.assert(
      fc.property(which, fc.nat(), (index, cut) => {
        const whole = pick(index)
        readAnyhow(whole.subarray(0, cut % whole.length))
      }),
      { numRuns: 30_000 },
    )
  })

  it('in 40,000 real transactions with bytes changed', () => {
    const change = fc.tuple(fc.nat({ max: 2_000 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(which, fc.array(change, { minLength: 1, maxLength: 4 }), (index, changes) => {
        const altered = plain(pick(index))
        for (const [at, value] of changes) altered[at % altered.length] = value
        readAnyhow(altered)
      }),
      { numRuns: 40_000 },
    )
  })
})
