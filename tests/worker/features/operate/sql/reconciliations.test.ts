import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { differenceOf } from '../../../../../worker/features/operate/difference-of.ts'
import {
  hasOpenDifference,
  type Reconciliation,
  selectReconciliations,
  upsertReconciliationStatement,
} from '../../../../../worker/features/operate/sql/reconciliations.ts'
import { add, clear } from '../../../rows.ts'

const { DB } = env
beforeEach(() => clear('reconciliations', 'stops'))

const found = (given: Partial<Reconciliation> = {}): Reconciliation => ({
  ...{ blockchain: 'Bitcoin', ledger: 5n, wallet: 5n, chain: 5n, owed: 1n, held: 2n, unassigned: 0n, readAt: 10 },
  differsSince: undefined,
  ...given,
})
const store = (given: Partial<Reconciliation>) => upsertReconciliationStatement(DB, found(given)).run()

describe('the last comparison of the books', () => {
  it('takes the place of the one before, on its chain, to the last unit', async () => {
    const large = 9_007_199_254_740_993n
    await store({ differsSince: 3 })
    await store({ blockchain: 'Dogecoin' })
    const last = found({ ledger: large, wallet: -large, owed: large + 2n, unassigned: 4n, readAt: 11 })
    await store(last)
    expect(await selectReconciliations(DB)).toEqual([last, found({ blockchain: 'Dogecoin' })])
  })

  it('is made again where it differs, is old enough, and has not stopped payouts', async () => {
    const isOpen = () => hasOpenDifference(DB, 10)
    await store({})
    expect(await isOpen()).toBe(false)
    await store({ differsSince: 5, readAt: 11 })
    expect(await isOpen()).toBe(false)
    await store({ differsSince: 5 })
    expect(await isOpen()).toBe(true)
    const stop = { part: 'payouts', reason: '', since: 1 }
    await add('stops', { ...stop, blockchain: 'Bitcoin', cause: 'hand' })
    await add('stops', { ...stop, blockchain: 'Dogecoin', cause: 'difference' })
    expect(await isOpen()).toBe(true)
    await add('stops', { ...stop, blockchain: 'Bitcoin', cause: 'difference' })
    expect(await isOpen()).toBe(false)
  })

  it('differs by what the wallet has more than the ledger, then the chain, and then by what left it unassigned', () => {
    const differences = [
      { wallet: 7n, chain: 1n, unassigned: 9n },
      { chain: 4n, unassigned: 9n },
      { unassigned: 9n },
      {},
    ].map((given) => differenceOf(found(given)))
    expect(differences).toEqual([2n, -1n, -9n, 0n])
  })
})
