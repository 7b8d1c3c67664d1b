import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { watchSnapshots } from '../../../../worker/features/events/snapshots.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { selectEvents } from '../../../../worker/platform/records/event-queue.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, newUser, pricedItem } from '../payments/pay-for-items.ts'
import { readMessages } from './read-messages.ts'

const chain = useDevnet()
const HOUR = 3_600_000

let user: Awaited<ReturnType<typeof newUser>>
beforeEach(async () => {
  chain.setAhead(0)
  user = await newUser()
})

async function told(): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const events = await selectEvents(env.DB, user.userId, 0, 100)
  return events.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
}
const types = async () => (await told()).map(({ type }) => type)
const forget = () => env.DB.prepare('DELETE FROM events WHERE user_id = ?').bind(user.userId).run()

describe('the events of a payment', () => {
  it('come in the order in which it is made, seen, settled and written', async () => {
    const { id, address, amount } = await pricedItem(user.api, 'Bitcoin')
    expect(await types()).toEqual(['item.merging'])
    chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    expect((await told()).at(-1)).toEqual({
      type: 'request.seen',
      data: { address, blockchain: 'Bitcoin', paidIn: 'Bitcoin', ids: [id], amount },
    })
    await chain.confirm('Bitcoin', 2)
    await chain.confirm('Bitcoin', 2)
    expect(await types()).toEqual(['item.merging', 'request.seen', 'request.settled', 'item.progress', 'item.stored'])
    const [, , , progress, stored] = await told()
    expect(progress?.data).toMatchObject({ id, written: 1 })
    expect(stored?.data).toMatchObject({ id, name: expect.any(String), blockchain: 'Bitcoin' })
  })

  it('say that a request waits again when its money was replaced, and that it expired', async () => {
    const { address, amount } = await pricedItem(user.api, 'Bitcoin')
    const txid = chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    await forget()
    chain.evict('Bitcoin', txid)
    await chain.work('Bitcoin')
    expect(await types()).toEqual(['request.open'])
    chain.setAhead(26 * HOUR)
    await chain.work('Bitcoin')
    expect(await types()).toEqual(['request.open', 'request.expired'])
  })

  it('say what came too late, with its transaction', async () => {
    const { address, amount } = await pricedItem(user.api, 'Bitcoin')
    chain.setAhead(2 * HOUR)
    await chain.work('Bitcoin')
    await forget()
    const txid = chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await told()).toEqual([
      { type: 'request.late', data: { address, blockchain: 'Bitcoin', txid, vout: expect.any(Number), amount } },
    ])
  })

  it('say that a deposit was seen and became balance, and that a request was paid from it at once', async () => {
    const { address } = await (await user.api.send('GET', '/payment/Bitcoin')).json<{ address: string }>()
    chain.pay('Bitcoin', address, '1.5')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await told()).toMatchObject([
      { type: 'deposit.seen', data: { address } },
      { type: 'deposit.credited', data: { address, amount: 1.5 } },
    ])
    const id = await mergedItem(user.api, 'Bitcoin')
    await forget()
    await user.api.sendJson('POST', '/payment', { blockchain: 'Bitcoin', ids: [id] })
    expect(await told()).toMatchObject([{ type: 'request.settled', data: { address: null, ids: [id] } }])
  })

  it('say why an item is not written further', async () => {
    const { id, address, amount } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    await forget()
    await env.BUCKET.delete(`stored/${id}`)
    await chain.confirm('Bitcoin', 2)
    const stopped = (await told()).find(({ type }) => type === 'item.stopped')
    expect(stopped?.data).toMatchObject({ id, message: expect.stringContaining('stored bytes') })
  })

  it('say that a request was cancelled with its item', async () => {
    const id = await mergedItem(user.api, 'Bitcoin')
    await askPayment(user.api, [id], 'Bitcoin')
    await forget()
    await user.api.send('DELETE', `/item/${id}`)
    expect(await types()).toEqual(['request.cancelled'])
  })
})

describe('the snapshots of a payment', () => {
  it('come when it is asked for, when money is seen, and with each block on it', async () => {
    const snapshots = watchSnapshots(env.DB, readConfig(env), { userId: user.userId, start: Date.now(), money: true })
    const shown = async (touched: string[] = []) =>
      readMessages((await snapshots.read(Date.now(), touched)).join(''))
        .filter(({ type }) => type === 'request')
        .map(({ data }) => data.data)
    const id = await mergedItem(user.api, 'Bitcoin')
    expect(await shown()).toEqual([])
    const { address } = await askPayment(user.api, [id], 'Bitcoin')
    expect(await shown()).toMatchObject([{ address, state: 'open', received: 0 }])
    expect(await shown()).toEqual([])
    chain.pay('Bitcoin', address, '0.00001')
    await chain.work('Bitcoin')
    expect(await shown()).toMatchObject([{ address, state: 'open', received: 0.00001 }])
    await chain.confirm('Bitcoin')
    expect(await shown()).toMatchObject([{ address, transactions: [{ depth: 1 }] }])
    expect(await shown()).toEqual([])
    expect(await shown([String(address)])).toHaveLength(1)
  })
})
