import { describe, expect, it } from 'vitest'
import type { OwnTransaction, TransactionState } from '../../../../worker/features/transactions/sql/transactions.ts'
import { txChainStates } from '../../../../worker/features/writer/plan/tx-chain-states.ts'

const txChain = (id: number) => {
  return {
    id,
    coin: { txid: `coin${id}`, vout: id, value: 5_000n, script: 'c0' },
    script: `0014${String(id).repeat(40)}`,
  }
}
const transaction = (of: number, seq: number, state: TransactionState, changes: Partial<OwnTransaction> = {}) => {
  return {
    ...{ txid: `${of}-${seq}`, txChain: of, seq, state, itemId: 'item', itemIndex: seq, withdrawalId: undefined },
    ...{ bundle: '', offset: 0, length: 1, attempts: 1, vsize: 100 + seq, fee: 1_000n, changeVout: 1 },
    ...{ changeValue: BigInt(seq), sentHeight: 1, checkedHeight: undefined, blockHeight: undefined },
    ...{ spentHeight: undefined, ...changes },
  }
}

const TERMS = { feeRate: 1_000n, quotes: [{ id: 'item', feeRate: 1_000n }], ceilingPercent: 200, dust: 100n }
const EMPTY = { unconfirmed: 0, vbytes: 0, most: 0n, dearest: 0n, moves: true }

it('says from where each tx chain goes on, what waits in it, and whether more can be added now', () => {
  const [mined, sent, signed] = [transaction(1, 7, 'mined'), transaction(2, 3, 'sent'), transaction(3, 4, 'signed')]
  const unmined = [transaction(2, 2, 'sent'), transaction(3, 3, 'sent'), sent, signed]
  // The tx chain 5 starts from an output of what waits in the tx chain 2.
  const split = { ...txChain(5), coin: { ...txChain(5).coin, txid: sent.txid } }
  const txChains = [txChain(1), txChain(2), txChain(3), txChain(4), split]
  expect(txChainStates(txChains, [mined, sent, signed], unmined, TERMS)).toEqual([
    {
      ...{ id: 1, script: txChain(1).script, tip: { txid: '1-7', vout: 1, value: 7n, script: txChain(1).script } },
      ...{ ...EMPTY, seq: 8, ready: true },
    },
    {
      ...{ id: 2, script: txChain(2).script, tip: { txid: '2-3', vout: 1, value: 3n, script: txChain(2).script } },
      ...{ seq: 4, unconfirmed: 2, vbytes: 205, ready: true, moves: true, most: 410n, dearest: 2_000n },
    },
    {
      ...{ id: 3, script: txChain(3).script, tip: { txid: '3-4', vout: 1, value: 4n, script: txChain(3).script } },
      ...{ seq: 5, unconfirmed: 2, vbytes: 207, ready: false, moves: true, most: 414n, dearest: 2_000n },
    },
    { id: 4, script: txChain(4).script, tip: txChain(4).coin, ...EMPTY, seq: 0, ready: true },
    { id: 5, script: txChain(5).script, tip: split.coin, ...EMPTY, seq: 0, ready: false },
  ])
})

describe('something moves in a tx chain', () => {
  const SCRIPT = `0014${'ab'.repeat(20)}`
  const moves = (own: OwnTransaction[], feeRate: bigint) => {
    const open = { ...txChain(1), script: SCRIPT }
    const [state] = txChainStates([open], own.slice(-1), own, { ...TERMS, feeRate })
    return state?.moves
  }
  // 200 vbytes that pay 1,000 for 1,000, and may pay twice as much; a bump has 110 more.
  const waiting = (changes: Partial<OwnTransaction> = {}) =>
    transaction(1, 0, 'sent', { vsize: 200, fee: 200n, changeValue: 10_000n, ...changes })

  it('where nothing waits in it, at any fee rate', () => {
    expect(moves([transaction(1, 0, 'mined')].slice(1), 1_000_000n)).toBe(true)
  })

  it('where all of it pays nine tenths of what is asked now, or may, and can afford it', () => {
    // 620 for all of 310 vbytes are 2,000 for 1,000: nine tenths of 2,222.
    expect([1_111n, 2_222n, 2_224n].map((feeRate) => moves([waiting()], feeRate))).toEqual([true, true, false])
    expect(moves([waiting({ changeValue: 420n + 100n })], 2_222n)).toBe(true)
    expect(moves([waiting({ changeValue: 419n + 100n })], 2_222n)).toBe(false)
    expect(moves([waiting({ changeValue: 0n })], 1_111n)).toBe(true)
  })

  it('not behind what the node refuses, nor behind what is gone', () => {
    expect(moves([waiting({ state: 'signed' })], 1_000n)).toBe(true)
    expect(moves([waiting({ state: 'signed', checkedHeight: 5 })], 1_000n)).toBe(false)
    expect(moves([waiting({ spentHeight: 5 })], 1_000n)).toBe(false)
  })

  it('not where it starts from an output of what waits in such a tx chain', () => {
    const split = { ...txChain(5), coin: { ...txChain(5).coin, txid: '1-0' }, script: SCRIPT }
    const of = (feeRate: bigint) => txChainStates([split], [], [waiting()], { ...TERMS, feeRate })[0]?.moves
    expect([2_222n, 2_224n].map(of)).toEqual([true, false])
  })
})
