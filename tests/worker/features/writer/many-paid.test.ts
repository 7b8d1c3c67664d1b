import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { addMany } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

it('shows how far an item is, though a thousand that were paid before wait for lower fees', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  await addMany('items', 1_000, { id: "'old' || n", status: '202' })
  await addMany('payment_requests', 1_000, { id: "'old' || n", state: "'settled'", fee_rate: "'1'" })
  await addMany('writes', 1_000, { item_id: "'old' || n", request_id: "'old' || n" })
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin')
  await chain.work('Bitcoin')
  expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', written: 1 })
  await env.DB.prepare("DELETE FROM writes WHERE item_id LIKE 'old%'").run()
})
