import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { stopItemsStatements } from '../../../../worker/features/items/sql/move-items.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi, noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

it('lets an operator send a stopped item on its way again, and nobody else', async () => {
  const { api } = await newUser()
  const operator = callApi((await signIn('admin')).headers)
  const id = await paidItem(chain, api, 'Nativecoin', noise(300))
  const retry = (who: typeof api, item = id) => who.send('POST', `/item/${item}/retry`)
  expect((await retry(operator)).status).toBe(409)
  await env.DB.batch(stopItemsStatements(env.DB, [id], 'parked', 'The node refuses it.', Date.now()))
  expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict', message: 'The node refuses it.' })
  expect((await retry(api)).status).toBe(403)
  expect((await retry(operator, 'a'.repeat(24))).status).toBe(404)
  const response = await retry(operator)
  expect([response.status, await response.json()]).toEqual([
    202,
    expect.objectContaining({ id, status: '202 Accepted' }),
  ])
  expect((await retry(operator)).status).toBe(409)
  await chain.mineAndWork('Nativecoin', 5)
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
})

it('leaves an item that the node refuses again after a retry to the operator again', async () => {
  const { api } = await newUser()
  const operator = callApi((await signIn('admin')).headers)
  const refusal = { code: -26, message: 'scriptpubkey' }
  const refuseNext = () => chain.before('sendrawtransaction', () => chain.refuseNext('sendrawtransaction', refusal))
  refuseNext()
  const id = await paidItem(chain, api, 'Nativecoin', noise(300))
  expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict' })
  expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)
  refuseNext()
  await chain.work('Nativecoin')
  await chain.mineAndWork('Nativecoin', 3)
  expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict' })
})
