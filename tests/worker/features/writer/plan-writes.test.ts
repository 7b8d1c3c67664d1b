import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser } from '../payments/pay-for-items.ts'

const chain = useDevnet()

it('half a MiB is signed and kept at a time, whatever tx chains have room for', async () => {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Nativecoin', noise(620_000))
  const { address, amount, confirmations } = await askPayment(api, [id], 'Nativecoin')
  chain.pay('Nativecoin', address, amount)
  chain.mine('Nativecoin', Number(confirmations))
  // The first splits a second tx chain off; each of the two has room for 18 that are so large.
  await chain.work('Nativecoin', { maxDataBytes: 24_000 })
  const { results } = await env.DB.prepare(
    'SELECT COUNT(*) AS count FROM transactions WHERE item_id = ? GROUP BY bundle ORDER BY count DESC',
  )
    .bind(id)
    .all<{ count: number }>()
  expect(results.map(({ count }) => count)).toEqual([21, 4, 1])
})
