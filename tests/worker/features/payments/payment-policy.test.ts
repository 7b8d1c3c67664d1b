import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { settleByHand } from '../../../../worker/features/operate/settle-by-hand.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { useDevnet } from '../../use-devnet.ts'
import { balanceOf } from './customer.ts'
import { newUser, pricedItem, readAnswer, showItem } from './pay-for-items.ts'

const chain = useDevnet()
const ABOVE = { confirmationsAbove: [{ from: 1_000_000n, confirmations: 4 }] }

/** Coins less by so many base units, as text. */
const less = (coins: unknown, units: number) => (Number(coins) - units / 1e8).toFixed(8)

describe('a payment that lacks a little', () => {
  it('settles its request within the tolerance for what came, and says so', async () => {
    await chain.work('Bitcoin')
    const user = await newUser()
    const { id, address, amount } = await pricedItem(user.api, 'Bitcoin')
    const paid = less(amount, 30)
    chain.pay('Bitcoin', address, paid)
    await chain.confirm('Bitcoin', 2)
    const state = async () => await readAnswer(await user.api.send('GET', `/payment?address=${address}`))
    expect(await state()).toMatchObject({ state: 'open', received: Number(paid) })
    await chain.work('Bitcoin', {}, { paymentTolerancePercent: 1 })
    expect(await state()).toMatchObject({ state: 'settled', credited: 0 })
    expect(await showItem(user.api, id)).toMatchObject({ status: '202 Accepted' })
    expect(await readAnswer(await user.api.send('GET', `/item/${id}/receipt`))).toMatchObject({
      amount: Number(paid),
      fromBalance: 0,
    })
    expect(await balanceOf(user.api)).toBe(0)
    chain.pay('Bitcoin', address, '0.0001')
    await chain.confirm('Bitcoin', 2)
    expect(await balanceOf(user.api)).toBe(0.0001)
    expect(await state()).toMatchObject({ credited: 0.0001 })
  })

  it('that lacks more expires', async () => {
    const user = await newUser()
    const { address, amount } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, less(amount, Math.ceil(Number(amount) * 1e8 * 0.03)))
    chain.mine('Bitcoin', 2)
    chain.setAhead(3_600_000 + 1_000)
    await chain.work('Bitcoin', {}, { paymentTolerancePercent: 2 })
    const state = async () => (await readAnswer(await user.api.send('GET', `/payment?address=${address}`))).state
    expect(await state()).toBe('expired')
    chain.setAhead(0)
  })
})

describe('a large payment', () => {
  it('is credited when it is as deep as its amount asks for, a small one as ever', async () => {
    const [rich, poor] = [await newUser(), await newUser()]
    const deposit = async ({ api }: typeof rich, coins: string) => {
      const { address } = await readAnswer(await api.send('GET', '/payment/Bitcoin'))
      chain.pay('Bitcoin', address, coins)
    }
    await deposit(rich, '0.01')
    await deposit(poor, '0.00999999')
    chain.mine('Bitcoin', 3)
    await chain.work('Bitcoin', ABOVE)
    expect([await balanceOf(rich.api), await balanceOf(poor.api)]).toEqual([0, 0.00999999])
    chain.mine('Bitcoin')
    await chain.work('Bitcoin', ABOVE)
    expect(await balanceOf(rich.api)).toBe(0.01)
  })

  it('is taken for its request by hand only when it is as deep as its amount asks for', async () => {
    const user = await newUser()
    const { address, amount } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, '0.02')
    chain.mine('Bitcoin', 3)
    await chain.work('Bitcoin', ABOVE)
    const { id: request } = Object(
      await env.DB.prepare('SELECT id FROM payment_requests WHERE address = ?').bind(address).first(),
    )
    const config = readConfig(env)
    const chains = { ...config.chains, Bitcoin: { ...config.chains.Bitcoin, ...ABOVE } }
    const context = { db: env.DB, config: { chains }, now: Date.now(), record: () => [] }
    // Nothing that is there counts yet: all is given by hand, and what was paid becomes balance later.
    expect(await settleByHand(context, String(request))).toBe(BigInt(Math.round(Number(amount) * 1e8)))
    chain.mine('Bitcoin')
    await chain.work('Bitcoin', ABOVE)
    expect(await balanceOf(user.api)).toBe(0.02)
  })

  it('counts all that its transaction pays to the service', async () => {
    const [one, other] = [await newUser(), await newUser()]
    const addressOf = async ({ api }: typeof one) =>
      String((await readAnswer(await api.send('GET', '/payment/Bitcoin'))).address)
    const outputs = { [await addressOf(one)]: 0.005, [await addressOf(other)]: 0.005 }
    chain.call('Bitcoin', 'sendmany', ['', outputs])
    chain.mine('Bitcoin', 3)
    await chain.work('Bitcoin', ABOVE)
    expect([await balanceOf(one.api), await balanceOf(other.api)]).toEqual([0, 0])
    chain.mine('Bitcoin')
    await chain.work('Bitcoin', ABOVE)
    expect([await balanceOf(one.api), await balanceOf(other.api)]).toEqual([0.005, 0.005])
  })

  it('settles a request no earlier', async () => {
    const user = await newUser()
    const { address } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, '0.01')
    chain.mine('Bitcoin', 3)
    await chain.work('Bitcoin', ABOVE)
    const state = async () => (await readAnswer(await user.api.send('GET', `/payment?address=${address}`))).state
    expect(await state()).toBe('seen')
    chain.mine('Bitcoin')
    await chain.work('Bitcoin', ABOVE)
    expect(await state()).toBe('settled')
  })

  it('settles a request no earlier where it is large only with what it pays to other addresses', async () => {
    const user = await newUser()
    const { address } = await pricedItem(user.api, 'Bitcoin')
    const { address: deposit } = await readAnswer(await user.api.send('GET', '/payment/Bitcoin'))
    chain.call('Bitcoin', 'sendmany', ['', { [String(address)]: 0.005, [String(deposit)]: 0.005 }])
    chain.mine('Bitcoin', 3)
    await chain.work('Bitcoin', ABOVE)
    const state = async () => (await readAnswer(await user.api.send('GET', `/payment?address=${address}`))).state
    expect(await state()).toBe('seen')
    chain.mine('Bitcoin')
    await chain.work('Bitcoin', ABOVE)
    expect(await state()).toBe('settled')
  })
})
