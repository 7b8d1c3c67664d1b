import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex } from '../../../../protocol/bytes.ts'
import { writePsbt } from '../../../../protocol/psbt.ts'
import { encodeTransaction, type Transaction } from '../../../../protocol/transaction.ts'
import { checkPsbt, isSigned, keepsItsTxid } from '../../../../worker/features/cold/check-psbt.ts'
import { chooseCoins } from '../../../../worker/features/cold/choose-coins.ts'
import type { Coin } from '../../../../worker/features/wallet/sql/tx-chains.ts'

const SCRIPT = `0014${'11'.repeat(20)}`
const CHANGE = `0020${'22'.repeat(32)}`
const bytes = (hex: string) => fromHex(hex) ?? new Uint8Array(0)
const coin = (vout: number, value: bigint): Coin => ({ txid: 'ab'.repeat(32), vout, value, script: SCRIPT })

function transactionOf(spends: readonly Coin[], outputs: readonly [bigint, string][]): Transaction {
  return {
    version: 2,
    inputs: spends.map(({ txid, vout }) => ({ txid, vout, script: bytes(''), sequence: 0xfffffffd, witness: [] })),
    outputs: outputs.map(([value, script]) => ({ value, script: bytes(script) })),
    lockTime: 0,
  }
}

function psbtOf(transaction: Transaction): string {
  const maps = (list: readonly unknown[]) => list.map(() => new Map<string, Uint8Array>())
  const psbt = { transaction, global: new Map(), inputs: maps(transaction.inputs), outputs: maps(transaction.outputs) }
  return Buffer.from(writePsbt(psbt)).toString('base64')
}

const spends = [coin(0, 700n), coin(1, 500n)]
const order = { spends, script: SCRIPT, amount: 1_000n }

describe('a PSBT that the node made', () => {
  it('pays the address, and the rest to the change and the fee', () => {
    const made = transactionOf(spends, [
      [150n, CHANGE],
      [1_000n, SCRIPT],
    ])
    expect(checkPsbt(psbtOf(made), order)).toMatchObject({
      ...{ fee: 50n, changeVout: 0, changeValue: 150n, changeScript: CHANGE },
    })
    expect(checkPsbt(psbtOf(transactionOf(spends, [[1_000n, SCRIPT]])), order)).toMatchObject({
      ...{ fee: 200n, changeVout: 0, changeValue: 0n, changeScript: '' },
    })
  })

  it.each<[string, readonly Coin[], readonly [bigint, string][]]>([
    ['less than was asked', spends, [[999n, SCRIPT]]],
    ['somebody else', spends, [[1_000n, CHANGE]]],
    [
      'a third',
      spends,
      [
        [1_000n, SCRIPT],
        [1n, CHANGE],
        [1n, CHANGE],
      ],
    ],
    ['with a coin less', spends.slice(1), [[1_000n, SCRIPT]]],
    ['with another coin', [coin(0, 700n), coin(2, 500n)], [[1_000n, SCRIPT]]],
    ['with one coin twice', [coin(0, 700n), coin(0, 700n)], [[1_000n, SCRIPT]]],
    ['with a coin more', [...spends, coin(2, 1n)], [[1_000n, SCRIPT]]],
  ])('is refused where it pays %s', (_, given, outputs) => {
    expect(() => checkPsbt(psbtOf(transactionOf(given, outputs)), order)).toThrow('another transaction')
  })

  it('is signed by its own transaction with signatures, and by no other', () => {
    const made = transactionOf(spends, [[1_000n, SCRIPT]])
    const signed = { ...made, inputs: made.inputs.map((input) => ({ ...input, witness: [bytes('aa'), bytes('bb')] })) }
    const hexOf = (transaction: Transaction) => Buffer.from(encodeTransaction(transaction)).toString('hex')
    expect(isSigned(hexOf(signed), psbtOf(made))).toBe(true)
    const others = [
      { ...signed, lockTime: 1 },
      { ...signed, outputs: [{ value: 1_001n, script: bytes(SCRIPT) }] },
      { ...signed, inputs: signed.inputs.map((input) => ({ ...input, sequence: 0 })) },
    ]
    expect(others.map((other) => isSigned(hexOf(other), psbtOf(made)))).toEqual([false, false, false])
    expect(isSigned('xx', psbtOf(made))).toBe(false)
  })

  it('spends nothing whose txid changes when it is signed', () => {
    const p2sh = `a914${'33'.repeat(20)}87`
    const p2pkh = `76a914${'33'.repeat(20)}88ac`
    expect([SCRIPT, CHANGE, `5120${'44'.repeat(32)}`].map(keepsItsTxid)).toEqual([true, true, true])
    expect([p2sh, p2pkh, `0014${'33'.repeat(32)}`, ''].map(keepsItsTxid)).toEqual([false, false, false, false])
  })
})

describe('the coins of a PSBT', () => {
  const values = fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { maxLength: 12 })
  const sum = (coins: readonly Coin[]) => coins.reduce((total, { value }) => total + value, 0n)

  it('are enough, each once, no more than may be, and begin with the one that it is tied to', () => {
    fc.assert(
      fc.property(
        values,
        fc.bigInt({ min: 1n, max: 3_000n }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (list, need, most, isTied) => {
          const coins = list.map((value, vout) => coin(vout, value))
          const tied = isTied ? coins[0] : undefined
          const chosen = chooseCoins(need, tied, coins, most)
          const others = coins.filter((one) => one !== tied).toSorted((a, b) => Number(b.value - a.value))
          const best = [...(tied ? [tied] : []), ...others].slice(0, most)
          expect(chosen !== undefined).toBe(sum(best) >= need)
          if (!chosen) return
          expect(sum(chosen)).toBeGreaterThanOrEqual(need)
          expect(chosen.length).toBeLessThanOrEqual(most)
          expect(new Set(chosen).size).toBe(chosen.length)
          if (tied) expect(chosen[0]).toBe(tied)
        },
      ),
    )
  })

  it('are the smallest one that is enough by itself', () => {
    expect(chooseCoins(10n, undefined, [coin(0, 50n), coin(1, 12n), coin(2, 9n)], 4)).toEqual([coin(1, 12n)])
    expect(chooseCoins(10n, coin(0, 50n), [coin(0, 50n), coin(1, 12n)], 4)).toEqual([coin(0, 50n)])
  })
})
