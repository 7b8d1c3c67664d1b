import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import { noted } from '../../noted-calls.ts'
import { add, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { mergedItem, newUser } from './pay-for-items.ts'

useDevnet()

/** A request for an item, to which money came that is neither in a block nor in the mempool any more. */
async function evicted() {
  const { api, userId } = await newUser()
  const asked = { userId, target: 'Bitcoin' as const, ids: [await mergedItem(api, 'Bitcoin')] }
  const opened = await openRequest(noted().context, asked)
  if (opened.state !== 'waiting') throw new Error(opened.state)
  const { address, amount, expiresAt } = opened.request
  await add('outputs', { txid: userId, address, amount: `${amount}`, in_mempool: 0, seen_at: expiresAt - 1 })
  return { asked, userId, address, expiresAt }
}

describe('a request whose money the mempool has lost', () => {
  it('is shown after it expired, and no other made: what was in time may come back', async () => {
    const { asked, address, expiresAt } = await evicted()
    const again = await openRequest(noted(expiresAt + 1).context, asked)
    expect(again).toMatchObject({ state: 'waiting', request: { address }, received: 0n })
    expect(await list('payment_requests', 'state')).toEqual(['open'])
  })

  it('is not paid from the balance while part of its money is on its way', async () => {
    const { asked, userId, address } = await evicted()
    await add('outputs', { txid: `${userId}-part`, address, amount: '1', in_mempool: 1 })
    const money = '100000000'
    await add('ledger', { user_id: userId, seq: 1, amount: money, balance: money, cause: `manual:${userId}` })
    expect(await openRequest(noted().context, asked)).toMatchObject({ state: 'waiting', received: 1n })
  })

  it('is not paid from the balance either where it was told as seen', async () => {
    const { asked, userId, address } = await evicted()
    await env.DB.prepare("UPDATE payment_requests SET state = 'seen' WHERE address = ?").bind(address).run()
    const money = '100000000'
    await add('ledger', { user_id: userId, seq: 1, amount: money, balance: money, cause: `manual:${userId}` })
    expect(await openRequest(noted().context, asked)).toMatchObject({ state: 'waiting', request: { address } })
  })
})
