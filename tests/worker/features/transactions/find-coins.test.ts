import { describe, expect, it, vi } from 'vitest'
import { findCoins } from '../../../../worker/features/transactions/find-coins.ts'
import type { Coin } from '../../../../worker/features/transactions/sql/tx-chains.ts'

const coin = (value: bigint, vout = 0, txid = `t${value}`): Coin => ({ txid, vout, value, script: '51' })
const [ONE, TWO, THREE, FIVE] = [coin(1n), coin(2n), coin(3n), coin(5n)]

/** What is spent for `amount`, of coins that stand in no order. */
function find(amount: bigint, { tied, coins = [THREE, ONE, FIVE, TWO], maxInputs = 3 }: Partial<Given> = {}) {
  return findCoins({ coin: tied, coins, maxInputs }, (spends) => {
    const sum = spends.reduce((total, { value }) => total + value, 0n)
    return sum >= amount ? spends.map(({ value, vout }) => (vout === 0 ? value : `${value}:${vout}`)) : undefined
  })
}
interface Given {
  tied: Coin
  coins: readonly Coin[]
  maxInputs: number
}

describe('coins that are enough', () => {
  it('are the smallest that is by itself, or else the largest together, as few as are', () => {
    expect(find(3n)).toEqual([3n])
    expect(find(6n)).toEqual([5n, 3n])
    expect(find(9n)).toEqual([5n, 3n, 2n])
  })

  it('are none beyond the inputs that a transaction may have, nor beyond what there is', () => {
    expect(find(11n)).toBeUndefined()
    expect(find(11n, { maxInputs: 4 })).toEqual([5n, 3n, 2n, 1n])
    const planOf = vi.fn(() => undefined)
    expect(findCoins({ coin: undefined, coins: [ONE, TWO], maxInputs: 100 }, planOf)).toBeUndefined()
    // None, each by itself, and both.
    expect(planOf).toHaveBeenCalledTimes(4)
    expect(find(1n, { coins: [] })).toBeUndefined()
  })

  it('are the one that something is tied to, alone where it may, and otherwise the first of them', () => {
    const tied = coin(4n)
    expect(find(4n, { tied })).toEqual([4n])
    expect(find(6n, { tied })).toEqual([4n, 2n])
    expect(find(12n, { tied })).toEqual([4n, 5n, 3n])
    expect(find(13n, { tied })).toBeUndefined()
    expect(find(5n, { tied, maxInputs: 1 })).toBeUndefined()
  })

  it('hold that one once, and may hold another output of the same transaction', () => {
    const tied = coin(4n)
    expect(find(8n, { tied, coins: [tied] })).toBeUndefined()
    expect(find(8n, { tied, coins: [tied, coin(4n, 1)] })).toEqual([4n, '4:1'])
    // The same number of another transaction.
    expect(find(9n, { tied, coins: [tied, FIVE] })).toEqual([4n, 5n])
  })
})
