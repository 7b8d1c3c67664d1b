import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { cancelRequest } from '../../../../worker/features/payments/cancel-request.ts'
import { createAddress } from '../../../../worker/features/payments/create-address.ts'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import type { PaymentContext } from '../../../../worker/features/payments/payment-context.ts'
import { noted } from '../../noted-calls.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { mergedItem, newUser } from './pay-for-items.ts'

useDevnet()

/** A context whose node does something else first, once, when it is asked by a method. */
function meanwhile(method: string, act: () => Promise<unknown>): PaymentContext {
  const { context } = noted()
  const node = context.rpcOf('Bitcoin')
  let done = false
  const rpc: WalletRpc = async (calls) => {
    if (!done && calls.some((call) => call.method === method)) {
      done = true
      await act()
    }
    return (await node?.(calls)) ?? []
  }
  return { ...context, rpcOf: () => rpc }
}

describe('an address of the balance', () => {
  const limited = (unusedAddresses: number, context = noted().context) => ({
    ...context,
    config: { ...context.config, quotas: { ...context.config.quotas, unusedAddresses } },
  })

  it('that is one too many is not asked of the node: its keys are few', async () => {
    const { userId } = await newUser()
    const { context, calls } = noted()
    await createAddress(limited(1), userId, 'Bitcoin')
    await expect(createAddress(limited(1, context), userId, 'Bitcoin')).rejects.toMatchObject({ status: 409 })
    await addMany('addresses', 9, {
      ...{ address: "'a' || n", user_id: `'${userId}'`, state: "'discarded'", created_at: `${context.now}` },
    })
    await expect(createAddress(limited(99, context), userId, 'Bitcoin')).rejects.toMatchObject({ status: 429 })
    expect(calls.filter((call) => call.includes('getnewaddress'))).toEqual([])
  })

  it('is not kept where another call got the last one while the node made it', async () => {
    const { userId } = await newUser()
    const late = meanwhile('getnewaddress', () => createAddress(limited(1), userId, 'Bitcoin'))
    await expect(createAddress(limited(1, late), userId, 'Bitcoin')).rejects.toMatchObject({ status: 409 })
    const other = await newUser()
    const many = meanwhile('getnewaddress', () =>
      addMany('addresses', 10, {
        ...{ address: "'b' || n", user_id: `'${other.userId}'`, state: "'discarded'" },
        created_at: `${Date.now()}`,
      }),
    )
    await expect(createAddress(limited(99, many), other.userId, 'Bitcoin')).rejects.toMatchObject({ status: 429 })
    const kept = await read('addresses', 'user_id', "SUM(state = 'current') OVER (PARTITION BY user_id)")
    expect([kept[userId], kept[other.userId]]).toEqual([1, 0])
  })
})

describe('a request', () => {
  async function opened() {
    await clear('outputs')
    const { api, userId } = await newUser()
    const asked = { userId, target: 'Bitcoin' as const, ids: [await mergedItem(api, 'Bitcoin')] }
    const outcome = await openRequest(noted().context, asked)
    if (outcome.state !== 'waiting') throw new Error(outcome.state)
    return { asked, ...outcome.request }
  }
  const stateOf = async (id: string) => (await read('payment_requests', 'id', 'state'))[id]

  it('is not cancelled for whom money is recorded while the node is asked for it, and its items stay', async () => {
    const { asked, id, address } = await opened()
    const late = meanwhile('getreceivedbyaddress', () => add('outputs', { txid: 'seen', address, in_mempool: 1 }))
    await expect(cancelRequest(late, asked.userId, address)).rejects.toMatchObject({ code: 'payment_seen' })
    expect(await stateOf(id)).toBe('open')
    expect((await read('items', 'id', 'removed_at'))[asked.ids[0] ?? '']).toBeNull()
  })

  it('stays open for whoever asks for some of its items alone', async () => {
    const { api, userId } = await newUser()
    const ids = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
    const asked = { userId, target: 'Bitcoin' as const, ids }
    const outcome = await openRequest(noted().context, asked)
    if (outcome.state !== 'waiting') throw new Error(outcome.state)
    const some = openRequest(noted().context, { ...asked, ids: ids.slice(1) })
    await expect(some).rejects.toMatchObject({ code: 'items_in_other_request' })
    expect(await stateOf(outcome.request.id)).toBe('open')
  })

  it('is answered as gone to the second of two calls that cancel it', async () => {
    const { asked, id, address } = await opened()
    const late = meanwhile('getreceivedbyaddress', () => cancelRequest(noted().context, asked.userId, address))
    await expect(cancelRequest(late, asked.userId, address)).rejects.toMatchObject({ status: 404 })
    expect(await stateOf(id)).toBe('cancelled')
  })

  it('that the balance pays is paid for once by two calls at once, whatever the order', async () => {
    const { asked, id, amount } = await opened()
    const money = { user_id: asked.userId, amount: '100000000', balance: '100000000' }
    await add('ledger', { ...money, seq: 1, cause: `manual:${asked.userId}` })
    const outcomes = await Promise.all([1, 2].map(() => openRequest(noted().context, asked)))
    expect(outcomes.map(({ state }) => state)).toEqual(['paid', 'paid'])
    expect([await stateOf(id), await list('writes', 'request_id')]).toEqual(['settled', [id]])
    const debits = env.DB.prepare('SELECT amount FROM ledger WHERE user_id = ? AND seq > 1').bind(asked.userId)
    expect((await debits.all()).results).toEqual([{ amount: `${-amount}` }])
  })
})
