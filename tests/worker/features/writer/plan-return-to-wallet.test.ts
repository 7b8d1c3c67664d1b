import { describe, expect, it } from 'vitest'
import { planReturnToWallet } from '../../../../worker/features/payouts/end/end-withdrawals.ts'

describe('what spends a coin back', () => {
  const script = `0014${'00'.repeat(20)}`
  const coin = { txid: 'a', vout: 0, value: 10_000n, script }
  const terms = { feeRate: 1_000n, relayFeeRate: 1_000n, dust: 546n, script, conflicts: [] }

  it('pays the rate of now, or more than all that it replaces', () => {
    expect(planReturnToWallet(coin, [], terms)).toMatchObject({ fee: 110n, change: 9_890n, vsize: 110 })
    const conflicts = [{ fee: 300n }, { fee: 200n }]
    expect(planReturnToWallet(coin, [], { ...terms, conflicts })).toMatchObject({ fee: 610n })
  })

  it('costs nothing where it replaces nothing and the rate is zero', () => {
    expect(planReturnToWallet(coin, [], { ...terms, feeRate: 0n })).toMatchObject({ fee: 0n, change: 10_000n })
  })

  it('takes another coin where its own is too small, and nothing where none is enough', () => {
    const small = { ...coin, value: 600n }
    expect(planReturnToWallet(small, [], terms)).toBeUndefined()
    expect(planReturnToWallet(small, [{ ...coin, txid: 'b' }], terms)).toMatchObject({ spends: [small, { txid: 'b' }] })
    expect(planReturnToWallet(small, [{ ...coin, txid: 'b', value: 1n }], terms)).toBeUndefined()
  })
})
