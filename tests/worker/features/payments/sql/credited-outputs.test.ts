import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { selectCredited } from '../../../../../worker/features/payments/sql/outputs.ts'
import { add } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

beforeEach(async () => {
  await clearTables()
  await add('addresses', { address: 'address' }, { address: 'address', blockchain: 'Dogecoin' })
})

it('only an output that is credited is found as one', async () => {
  await add('outputs', { txid: 'a', credited: 1 }, { txid: 'b' }, { txid: 'a', blockchain: 'Dogecoin' })
  const find = (blockchain: 'Bitcoin' | 'Dogecoin', txid: string) =>
    selectCredited(env.DB, blockchain, { txid, vout: 0 })
  expect(await find('Bitcoin', 'a')).toMatchObject({ txid: 'a', userId: 'ada' })
  expect([await find('Bitcoin', 'b'), await find('Dogecoin', 'a')]).toEqual([undefined, undefined])
})
