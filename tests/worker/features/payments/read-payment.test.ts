import { describe, expect, it } from 'vitest'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, newUser, readAnswer } from './pay-for-items.ts'

const chain = useDevnet()

describe('GET /v0/payment?address=', () => {
  it('tells of a request from open over seen to settled, with its transactions', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await askPayment(api, [id], 'Bitcoin')
    const read = async () => await readAnswer(await api.send('GET', `/payment?address=${address}`))
    expect(await read()).toMatchObject({
      status: 200,
      kind: 'request',
      state: 'open',
      blockchain: 'Bitcoin',
      paidIn: 'Bitcoin',
      amount,
      received: 0,
      uri: `bitcoin:${address}?amount=${amount}`,
      items: 1,
      ids: [id],
      names: ['a.txt'],
      transactions: [],
      settledAt: null,
    })
    const txid = chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    const transaction = { txid, amount, late: false, replaced: false }
    expect(await read()).toMatchObject({
      state: 'seen',
      received: amount,
      uri: `bitcoin:${address}`,
      transactions: [{ ...transaction, depth: 0 }],
    })
    await chain.confirm('Bitcoin', 2)
    expect(await read()).toMatchObject({
      state: 'settled',
      credited: 0,
      settledAt: expect.any(Number),
      transactions: [{ ...transaction, depth: 2 }],
    })
  })

  it('tells of a deposit', async () => {
    const { api } = await newUser()
    const { address } = await readAnswer(await api.send('GET', '/payment/Bitcoin'))
    const read = async () => await readAnswer(await api.send('GET', `/payment?address=${address}`))
    expect(await read()).toMatchObject({ status: 200, kind: 'deposit', state: 'open', received: 0, expiresAt: null })
    chain.pay('Bitcoin', address, '0.5')
    await chain.confirm('Bitcoin', 2)
    expect(await read()).toMatchObject({ state: 'credited', received: 0.5, credited: 0.5 })
  })

  it("404: somebody else's, and an invalid address", async () => {
    const { api } = await newUser()
    const { address } = await readAnswer(await api.send('GET', '/payment/Bitcoin'))
    const other = (await newUser()).api
    expect((await other.send('GET', `/payment?address=${address}`)).status).toBe(404)
    expect((await other.send('GET', '/payment?address=x')).status).toBe(404)
    expect((await other.send('GET', '/payment?address=')).status).toBe(404)
  })
})
