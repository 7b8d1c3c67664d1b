import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assignSendStatements,
  selectSend,
  selectUnassigned,
  sumUnassigned,
} from '../../../../../worker/features/transactions/sql/sends.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, read } from '../../../rows.ts'

const { DB } = env
const send = (txid: string, more: object = {}) => ({ blockchain: 'Bitcoin', txid, amount: '1', seen_at: 0, ...more })
beforeEach(() => clear('sends'))

describe('what left a wallet', () => {
  it('waits to be assigned, the oldest first, on its chain or on all', async () => {
    await add('sends', send('b', { seen_at: 2 }), send('a', { seen_at: 3 }), send('c', { assigned: 'foreign' }))
    await add('sends', send('d', { blockchain: 'Dogecoin', seen_at: 1 }))
    const txids = async (limit: number, blockchain?: 'Bitcoin') =>
      (await selectUnassigned(DB, limit, blockchain)).map(({ txid }) => txid)
    expect([await txids(9), await txids(9, 'Bitcoin'), await txids(1, 'Bitcoin')]).toEqual([
      ...[['d', 'b', 'a'], ['b', 'a'], ['b']],
    ])
  })

  it('is found by its transaction, on whatever chain', async () => {
    await add('sends', send('a', { amount: '7' }), send('b', { blockchain: 'Dogecoin', assigned: 'sweep' }))
    expect(await selectSend(DB, 'a')).toMatchObject({ blockchain: 'Bitcoin', amount: 7n, assigned: undefined })
    expect(await selectSend(DB, 'b')).toMatchObject({ blockchain: 'Dogecoin', assigned: 'sweep' })
    expect(await selectSend(DB, 'c')).toBeUndefined()
  })

  it('is summed to the last unit, on its chain, as long as it is not assigned', async () => {
    const large = 4_503_599_627_370_497n
    await add('sends', send('a', { amount: String(large) }), send('b', { amount: String(2n * large) }))
    await add('sends', send('c', { assigned: 'foreign' }), send('d', { blockchain: 'Dogecoin' }))
    expect([await sumUnassigned(DB, 'Bitcoin'), await sumUnassigned(DB, 'Nativecoin')]).toEqual([3n * large, 0n])
  })

  it('is assigned once, by itself', async () => {
    await add('sends', send('a'), send('b'), send('a', { blockchain: 'Dogecoin' }))
    const assign = (txid: string, as: 'withdrawal' | 'foreign') =>
      batchIf(DB, assignSendStatements(DB, { blockchain: 'Bitcoin', txid }, { as, loss: 3n }))
    expect([await assign('a', 'withdrawal'), await assign('a', 'foreign'), await assign('c', 'foreign')]).toEqual([
      ...[true, false, false],
    ])
    expect(await read('sends', 'blockchain || txid', "assigned || ' ' || loss")).toEqual({
      ...{ Bitcoina: 'withdrawal 3', Bitcoinb: null, Dogecoina: null },
    })
  })
})
