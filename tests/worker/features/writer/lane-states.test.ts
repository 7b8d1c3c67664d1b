import { expect, it } from 'vitest'
import { laneStates } from '../../../../worker/features/writer/lane-states.ts'

const lane = (id: number) => {
  return { id, coin: { txid: `coin${id}`, vout: id, value: 5_000n, script: 'c0' }, script: `a${id}` }
}
const transaction = (of: number, seq: number, state: 'signed' | 'sent' | 'mined') => {
  return {
    ...{ txid: `${of}-${seq}`, lane: of, seq, state },
    changeVout: 1,
    changeValue: BigInt(seq),
    vsize: 100 + seq,
  }
}

it('says from where each lane goes on, what waits in it, and whether more can be added now', () => {
  const [mined, sent, signed] = [transaction(1, 7, 'mined'), transaction(2, 3, 'sent'), transaction(3, 4, 'signed')]
  const unmined = [transaction(2, 2, 'sent'), transaction(3, 3, 'sent'), sent, signed]
  // The lane 5 starts from an output of what waits in the lane 2.
  const split = { ...lane(5), coin: { ...lane(5).coin, txid: sent.txid } }
  const lanes = [lane(1), lane(2), lane(3), lane(4), split]
  expect(laneStates(lanes, [mined, sent, signed], unmined)).toEqual([
    {
      ...{ id: 1, script: 'a1', tip: { txid: '1-7', vout: 1, value: 7n, script: 'a1' } },
      ...{ seq: 8, unconfirmed: 0, vbytes: 0, ready: true },
    },
    {
      ...{ id: 2, script: 'a2', tip: { txid: '2-3', vout: 1, value: 3n, script: 'a2' } },
      ...{ seq: 4, unconfirmed: 2, vbytes: 205, ready: true },
    },
    {
      ...{ id: 3, script: 'a3', tip: { txid: '3-4', vout: 1, value: 4n, script: 'a3' } },
      ...{ seq: 5, unconfirmed: 2, vbytes: 207, ready: false },
    },
    { id: 4, script: 'a4', tip: lane(4).coin, seq: 0, unconfirmed: 0, vbytes: 0, ready: true },
    { id: 5, script: 'a5', tip: split.coin, seq: 0, unconfirmed: 0, vbytes: 0, ready: false },
  ])
})
