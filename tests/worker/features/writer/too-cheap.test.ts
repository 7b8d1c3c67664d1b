import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

/** What a node says that counts each transaction as a full 1,000 bytes. */
const REFUSAL = { code: -26, message: '66: insufficient priority' }

it('an item that the node finds too cheap at what it asks itself pays half as much again each time, up to its ceiling', async () => {
  const { api } = await newUser()
  chain.refuseNext('sendrawtransaction', REFUSAL)
  const id = await paidItem(chain, api, 'Dogecoin', noise(300))
  expect((await showItem(api, id)).message).toContain('insufficient priority')
  for (let refusals = 1; refusals <= 3; refusals++) {
    chain.refuseNext('sendrawtransaction', REFUSAL)
    chain.setAhead(refusals * 60_000)
    await chain.work('Dogecoin')
  }
  chain.setAhead(600_000)
  await chain.work('Dogecoin')
  const { results } = await env.DB.prepare(
    `SELECT CAST(fee AS INTEGER) * 1000 / vsize AS rate, item_index, state FROM transactions WHERE item_id = ?
     ORDER BY state, rate`,
  )
    .bind(id)
    .all<{ rate: number; item_index: number; state: string }>()
  const dead = results.filter(({ state }) => state === 'dead').map(({ rate }) => rate)
  const [first = 0] = dead
  expect(dead.map((rate) => rate / first)).toEqual([1, 1.5])
  const sent = results.filter(({ state }) => state === 'sent')
  expect(sent.map(({ item_index, rate }) => [item_index, rate / first])).toEqual(
    [0, 1, 2, 3].map((index) => [index, 2]),
  )
})
