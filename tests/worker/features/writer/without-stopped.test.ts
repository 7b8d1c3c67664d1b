import { describe, expect, it } from 'vitest'
import type { OwnTransaction } from '../../../../worker/features/transactions/sql/transactions.ts'
import { withoutStopped } from '../../../../worker/features/writer/send/without-stopped.ts'

const base: OwnTransaction = {
  ...{ txid: '', txChain: 1, seq: 0, itemId: undefined, itemIndex: undefined, withdrawalId: undefined },
  ...{ bundle: 'b', offset: 0, length: 1, vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n, state: 'signed' },
  ...{ attempts: 0, sentHeight: undefined, checkedHeight: undefined, blockHeight: undefined, spentHeight: undefined },
}
const payout = { ...base, txid: 'payout', withdrawalId: 'w' }
const behind = { ...base, txid: 'behind', itemId: 'i', seq: 1 }
const item = { ...base, txid: 'item', itemId: 'i', txChain: 2 }
const all = [payout, item, behind]
const left = (parts: ('payouts' | 'writing')[], transactions: readonly OwnTransaction[] = all) =>
  withoutStopped(transactions, all, new Set(parts)).map(({ txid }) => txid)

describe('what is sent while parts are stopped', () => {
  it('is all where nothing is stopped', () => {
    expect(left([])).toEqual(['payout', 'item', 'behind'])
  })

  it('leaves out a payout that was never sent, and what stands behind it in its tx chain', () => {
    expect(left(['payouts'])).toEqual(['item'])
    expect(left(['payouts'], [behind])).toEqual([])
  })

  it('leaves out items while writing is stopped, and sends payouts', () => {
    expect(left(['writing'])).toEqual(['payout'])
    expect(left(['payouts', 'writing'])).toEqual([])
  })

  it('leaves nothing out that is for no item: what pays more, gathers coins or spends one back', () => {
    const back = { ...base, txid: 'back', txChain: 3 }
    const bump = { ...base, txid: 'bump', txChain: 4, seq: 1 }
    const sent = { ...item, txid: 'sent', txChain: 4, attempts: 1 }
    const unmined = [back, sent, bump, item]
    expect(withoutStopped(unmined, unmined, new Set(['payouts', 'writing']))).toEqual([back, sent, bump])
  })

  it('has what was sent before sent again', () => {
    const sent = { ...payout, attempts: 1 }
    expect(withoutStopped([sent], [sent], new Set(['payouts']))).toEqual([sent])
  })
})
