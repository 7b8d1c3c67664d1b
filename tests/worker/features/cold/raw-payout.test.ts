import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, unsignedId } from '../../../../protocol/transaction.ts'
import { feeFor } from '../../../../protocol/transaction-size.ts'
import { findRawProblem, planRawPayout, readRawPayout, toPrevtxs } from '../../../../worker/features/cold/raw-payout.ts'
import type { Coin } from '../../../../worker/features/wallet/sql/tx-chains.ts'

const COLD = `76a914${'11'.repeat(20)}88ac`
const PAID = `76a914${'22'.repeat(20)}88ac`
const RATE = 1_000_000n
const DUST = 1_000_000n
const coin = (vout: number, value: bigint): Coin => ({ txid: 'ab'.repeat(32), vout, value, script: COLD })
const terms = (spends: readonly Coin[], amount: bigint) => ({
  ...{ spends, amount, script: PAID, change: COLD, feeRate: RATE, dust: DUST, since: 'cd'.repeat(32) },
})
const read = (hex: string) => decodeTransaction(fromHex(hex) ?? new Uint8Array(0))

describe('a raw transaction that is to be signed', () => {
  it('pays the address, the rest to the change, and a fee of its size, whatever coins it has', () => {
    const values = fc.array(fc.bigInt({ min: 1n, max: 500_000_000n }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(values, fc.bigInt({ min: DUST, max: 1_000_000_000n }), (list, amount) => {
        const spends = list.map((value, vout) => coin(vout, value))
        const total = list.reduce((sum, value) => sum + value, 0n)
        const planned = planRawPayout(terms(spends, amount))
        const least = feeFor(10 + spends.length * 149 + 34, RATE)
        if (!planned) {
          expect(total - amount).toBeLessThan(least)
          return
        }
        const { hex, spent } = readRawPayout(planned.psbt)
        const { inputs, outputs, version, lockTime } = read(hex)
        expect([version, lockTime]).toEqual([1, 0])
        expect(inputs.map(({ vout, sequence }) => [vout, sequence])).toEqual(
          spends.map(({ vout }) => [vout, 0xfffffffd]),
        )
        expect(outputs.map(({ script }) => toHex(script))).toEqual([PAID, COLD].slice(0, outputs.length))
        expect(outputs[0]?.value).toBe(amount)
        expect(outputs.reduce((sum, { value }) => sum + value, planned.fee)).toBe(total)
        expect(planned.fee).toBeGreaterThanOrEqual(feeFor(planned.vsize, RATE))
        expect(planned.changeValue).toBe(outputs[1]?.value ?? 0n)
        expect(planned.changeValue === 0n || planned.changeValue >= DUST).toBe(true)
        // Nothing but a change too small to pay for itself is left to the fee.
        expect(planned.fee - feeFor(planned.vsize, RATE)).toBeLessThan(DUST + feeFor(35, RATE))
        expect([planned.changeVout, planned.changeScript]).toEqual(outputs[1] ? [1, COLD] : [0, ''])
        expect(spent).toEqual(spends)
        expect(planned.txid).toBe(unsignedId(read(hex)))
      }),
    )
  })

  it('leaves to the fee a change that the network does not relay, and no larger one', () => {
    const amount = 400_000_000n
    const fee = feeFor(10 + 149 + 2 * 34, RATE)
    const changeOf = (left: bigint) => planRawPayout(terms([coin(0, amount + fee + left)], amount))?.changeValue
    expect([changeOf(DUST - 1n), changeOf(DUST)]).toEqual([0n, DUST])
    const tight = planRawPayout({ ...terms([coin(0, amount + fee + 1n)], amount), dust: 1n })
    expect(tight).toMatchObject({ changeValue: 1n, vsize: 10 + 149 + 2 * 34, fee })
  })

  it('needs no more than the fee of the one output that it has without change', () => {
    const amount = 400_000_000n
    const least = feeFor(10 + 149 + 34, RATE)
    const feeOf = (rest: bigint) => planRawPayout(terms([coin(0, amount + rest)], amount))?.fee
    expect([feeOf(least), feeOf(least - 1n)]).toEqual([least, undefined])
  })

  it('comes with what it spends as signrawtransaction is called with it', () => {
    expect(toPrevtxs([coin(1, 12_345_678_912_345_678n)])).toEqual([
      { txid: 'ab'.repeat(32), vout: 1, scriptPubKey: COLD, amount: '123456789.12345678' },
    ])
  })

  it('is told from what is none where it is read back', () => {
    for (const wrong of ['{}', '7', '{"hex":"00","since":"00","spent":[{}]}', '{"hex":"00","since":7,"spent":[]}'])
      expect(() => readRawPayout(wrong)).toThrow('This is no')
    expect(() => readRawPayout('nonsense')).toThrow(SyntaxError)
  })
})

describe('a raw transaction that is returned', () => {
  const planned = planRawPayout(terms([coin(0, 300_000_000n), coin(1, 300_000_000n)], 400_000_000n))
  const handed = readRawPayout(planned?.psbt ?? '')
  /** A scriptSig of a signature of `length` bytes, its hash type included, and a public key. */
  const scriptSig = (hashType: number, length = 71, key = 33) =>
    Uint8Array.from([
      length,
      ...new Array<number>(length - 1).fill(9),
      hashType,
      key,
      ...new Array<number>(key).fill(3),
    ])
  const signedWith = (scripts: readonly Uint8Array[]) => {
    const transaction = read(handed.hex)
    const inputs = transaction.inputs.map((input, index) => ({ ...input, script: scripts[index] ?? input.script }))
    return toHex(encodeTransaction({ ...transaction, inputs }))
  }
  const good = scriptSig(1)

  it('is the one that was handed out, with one signature of all outputs in each input', () => {
    expect(findRawProblem(signedWith([good, scriptSig(1, 73, 65)]), handed)).toBeUndefined()
  })

  it('lacks signatures where any input has none', () => {
    expect(findRawProblem(handed.hex, handed)).toBe('unsigned')
    expect(findRawProblem(signedWith([good]), handed)).toBe('unsigned')
  })

  it.each([
    ['SIGHASH_NONE', scriptSig(2)],
    ['SIGHASH_SINGLE', scriptSig(3)],
    ['SIGHASH_ALL of one input alone', scriptSig(0x81)],
    ['no hash type', scriptSig(0)],
    ['a longer signature than there is', scriptSig(1, 74)],
    ['a key of another length', scriptSig(1, 71, 34)],
    ['one push more', Uint8Array.from([...good, 0])],
    ['one push', good.slice(0, 72)],
    ['one byte less', good.slice(0, -1)],
    ['one byte', Uint8Array.of(1)],
  ])('is not taken with %s', (_, script) => {
    expect(findRawProblem(signedWith([good, script]), handed)).toBe('partial')
  })

  type Parts = ReturnType<typeof read>
  const first = <T>([one, ...others]: readonly T[], change: Partial<T>) =>
    one ? [{ ...one, ...change }, ...others] : []

  it.each<[string, (transaction: Parts) => Partial<Parts>]>([
    ['another version', () => ({ version: 2 })],
    ['another locktime', () => ({ lockTime: 1 })],
    ['another sequence', ({ inputs }) => ({ inputs: first(inputs, { sequence: 0 }) })],
    ['another coin', ({ inputs }) => ({ inputs: first(inputs, { vout: 7 }) })],
    ['a coin less', ({ inputs }) => ({ inputs: inputs.slice(1) })],
    ['its coins in another order', ({ inputs }) => ({ inputs: inputs.toReversed() })],
    ['another amount', ({ outputs }) => ({ outputs: first(outputs, { value: 399_999_999n }) })],
    ['another address', ({ outputs }) => ({ outputs: first(outputs, { script: fromHex(COLD) ?? new Uint8Array(0) }) })],
    ['one output less', ({ outputs }) => ({ outputs: outputs.slice(0, 1) })],
    ['one output more', ({ outputs }) => ({ outputs: [...outputs, ...outputs.slice(0, 1)] })],
  ])('is another one with %s', (_, change) => {
    const transaction = read(signedWith([good, good]))
    expect(findRawProblem(toHex(encodeTransaction({ ...transaction, ...change(transaction) })), handed)).toBe('foreign')
  })

  it.each(['', 'xx', '00', `${signedWith([good, good])}00`, signedWith([good, good]).slice(2)])(
    'is refused where it is no transaction: %s',
    (hex) => {
      expect(findRawProblem(hex, handed)).toBe('foreign')
    },
  )

  it('is refused with a witness', () => {
    const transaction = read(signedWith([good, good]))
    const inputs = transaction.inputs.map((input) => ({ ...input, witness: [Uint8Array.of(1)] }))
    expect(findRawProblem(toHex(encodeTransaction({ ...transaction, inputs })), handed)).toBe('partial')
  })
})
