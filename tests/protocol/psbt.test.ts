import { Transaction as SignerTransaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { type Psbt, PsbtError, type PsbtMap, readPsbt, writePsbt } from '../../protocol/psbt.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'

const script = fromHex(`0014${'11'.repeat(20)}`) ?? new Uint8Array(0)

const fields: fc.Arbitrary<PsbtMap> = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }).map(toHex), fc.uint8Array({ maxLength: 600 })), {
    maxLength: 4,
  })
  .map((list) => new Map(list))
const psbts: fc.Arbitrary<Psbt> = fc
  .record({ inputs: fc.array(fields, { minLength: 1, maxLength: 4 }), outputs: fc.array(fields, { maxLength: 3 }) })
  .map(({ inputs, outputs }) => ({
    transaction: {
      version: 2,
      inputs: inputs.map((_, vout) => {
        return { txid: 'ab'.repeat(32), vout, script: new Uint8Array(0), sequence: 0xfffffffd, witness: [] }
      }),
      outputs: outputs.map(() => ({ value: 1_000n, script })),
      lockTime: 0,
    },
    global: new Map(),
    inputs,
    outputs,
  }))

/** Each field as text, so that parts of buffers compare as what they hold. */
const shown = (maps: readonly PsbtMap[]) => maps.map((map) => [...map].map(([key, value]) => [key, toHex(value)]))

describe('a partially signed transaction', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(psbts, (psbt) => {
        const read = readPsbt(writePsbt(psbt))
        expect(toHex(encodeTransaction(read.transaction))).toBe(toHex(encodeTransaction(psbt.transaction)))
        expect([shown(read.inputs), shown(read.outputs)]).toEqual([shown(psbt.inputs), shown(psbt.outputs)])
      }),
    )
  })

  it('is what another implementation makes and reads', () => {
    const other = new SignerTransaction({ allowUnknownOutputs: true })
    other.addInput({ txid: 'cd'.repeat(32), index: 3, witnessUtxo: { amount: 5_000n, script } })
    other.addOutput({ amount: 4_000n, script })
    const read = readPsbt(other.toPSBT(0))
    expect(read.transaction.inputs).toMatchObject([{ txid: 'cd'.repeat(32), vout: 3 }])
    expect(read.transaction.outputs.map(({ value }) => value)).toEqual([4_000n])
    expect([...(read.inputs[0]?.keys() ?? [])]).toEqual(['01'])
    expect(SignerTransaction.fromPSBT(writePsbt(read)).getInput(0).witnessUtxo?.amount).toBe(5_000n)
  })

  it('is refused where it is truncated, has bytes after its end, or begins otherwise', () => {
    fc.assert(
      fc.property(psbts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (psbt, part) => {
        const bytes = writePsbt(psbt)
        expect(() => readPsbt(bytes.subarray(0, Math.floor(part * bytes.length)))).toThrow(PsbtError)
        expect(() => readPsbt(Uint8Array.of(...bytes, 0))).toThrow(PsbtError)
        expect(() => readPsbt(bytes.with(0, 0x71))).toThrow(PsbtError)
      }),
    )
  })

  it('throws only its own error, for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readPsbt(Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff, ...bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(PsbtError)
        }
      }),
    )
  })
})
