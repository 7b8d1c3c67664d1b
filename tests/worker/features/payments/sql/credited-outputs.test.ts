import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { markCreditedStatement, selectCredited } from '../../../../../worker/features/payments/sql/outputs.ts'
import { add, read } from '../../../rows.ts'
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

it('an output is credited on its own chain, by its txid and its place', async () => {
  await add('outputs', { txid: 'a' }, { txid: 'a', vout: 1 }, { txid: 'a', blockchain: 'Dogecoin' })
  await markCreditedStatement(env.DB, 'Bitcoin', [{ txid: 'a', vout: 0 }]).run()
  const credited = await read('outputs', "blockchain || ' ' || vout", 'credited')
  expect(credited).toEqual({ 'Bitcoin 0': 1, 'Bitcoin 1': 0, 'Dogecoin 0': 0 })
})
