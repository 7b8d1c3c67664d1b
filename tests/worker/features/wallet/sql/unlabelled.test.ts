import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { markLabelledStatement, selectUnlabelled } from '../../../../../worker/features/wallet/sql/unlabelled.ts'
import { add, read } from '../../../rows.ts'

it('an address is noted as labelled (1), or as refused by the node (2), once and on its own chain', async () => {
  const kind = 'request'
  await add('addresses', ...['a', 'b', 'c'].map((address) => ({ address, kind })), { address: 'd', kind, labelled: 1 })
  await add('addresses', { address: 'a', kind, blockchain: 'Dogecoin' })
  await markLabelledStatement(env.DB, 'Bitcoin', ['a', 'b', 'd'], ['b', 'd']).run()
  const labelled = await read('addresses', "blockchain || ' ' || address", 'labelled')
  expect(labelled).toEqual({ 'Bitcoin a': 1, 'Bitcoin b': 2, 'Bitcoin c': 0, 'Bitcoin d': 1, 'Dogecoin a': 0 })
  expect((await selectUnlabelled(env.DB, 'Bitcoin', 9)).map(({ address }) => address)).toEqual(['c'])
})
