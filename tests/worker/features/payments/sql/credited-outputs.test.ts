import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { selectCredited, selectOutputsOf } from '../../../../../worker/features/payments/sql/outputs.ts'
import { add } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

beforeEach(async () => {
  await clearTables()
  await add('addresses', { address: 'a lower one', user_id: 'bob' })
  await add('addresses', { address: 'address', blockchain: 'Dogecoin', user_id: 'bob' }, { address: 'address' })
})

it('only an output that is credited is found as one', async () => {
  await add('outputs', { txid: 'a', credited: 1 }, { txid: 'b' }, { txid: 'a', blockchain: 'Dogecoin' })
  const find = (blockchain: 'Bitcoin' | 'Dogecoin', txid: string) =>
    selectCredited(env.DB, blockchain, { txid, vout: 0 })
  expect(await find('Bitcoin', 'a')).toMatchObject({ txid: 'a', userId: 'ada' })
  expect([await find('Bitcoin', 'b'), await find('Dogecoin', 'a')]).toEqual([undefined, undefined])
})

it('an output that is credited is found with the owner of its address', async () => {
  await add('outputs', { txid: 'a', credited: 1, amount: '5' }, { txid: 'a', vout: 1, credited: 1 })
  await add('outputs', { txid: 'a', credited: 1, blockchain: 'Dogecoin' })
  const find = (blockchain: 'Bitcoin' | 'Dogecoin', vout: number) =>
    selectCredited(env.DB, blockchain, { txid: 'a', vout })
  expect(await find('Bitcoin', 0)).toMatchObject({ vout: 0, amount: 5n, userId: 'ada' })
  expect([await find('Bitcoin', 1), await find('Dogecoin', 0)]).toMatchObject([{ vout: 1 }, { userId: 'bob' }])
  expect([await find('Bitcoin', 2), await find('Dogecoin', 1)]).toEqual([undefined, undefined])
})

it('the outputs of a transaction are those of its own chain', async () => {
  await add(
    'outputs',
    { txid: 'a' },
    { txid: 'a', vout: 1 },
    { txid: 'b' },
    { txid: 'a', vout: 2, blockchain: 'Dogecoin' },
  )
  expect((await selectOutputsOf(env.DB, 'Bitcoin', ['a'])).map(({ txid, vout }) => `${txid}${vout}`)).toEqual([
    'a0',
    'a1',
  ])
})
